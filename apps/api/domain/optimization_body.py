"""The bodies that start an optimization, combine its winners and send one to the hold-out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

from annotated_types import Interval, MaxLen

from apps.api.domain.draft_body import words_of_sections
from apps.api.domain.request_fields import Id, Names
from apps.core.shapes import WHOLE, Check, Flag, Number, Shape, Text, described
from apps.improvement.drafts.domain.trial_choices import MAX_REPEATS
from apps.improvement.optimizer.domain.choices import OptimizationChoices
from apps.improvement.optimizer.domain.modes import NAMES
from apps.improvement.optimizer.domain.proposer_rules import MAX_REASON

_MAX_OWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationRequest(Shape):
    """From an evaluation to drafts that were tried; nothing goes live by it."""

    evaluation_id: Id
    mode: Annotated[Text, MaxLen(20), described(f"One of {', '.join(NAMES)}.")] = "surgical"
    drafts: (
        Annotated[int, Interval(ge=0, le=8), WHOLE, described("How many a model writes; 0 with own_drafts alone.")]
        | None
    ) = field(default=None)
    own_drafts: Annotated[tuple[Id, ...], MaxLen(_MAX_OWN), described("Drafts that are written, tried first.")] = ()
    evaluator_configs: Annotated[
        Names | None, described("The first decides, the others judge beside; without any, the evaluation's own.")
    ] = None
    budget_usd: (
        Annotated[Number, Interval(ge=0, le=1_000_000), described("The most that all of it may cost.")] | None
    ) = field(default=None)
    name: Annotated[Text, MaxLen(100), described("The prompt; without it the one that the judged run played.")] = ""
    agent: Annotated[Text, MaxLen(100), described("Who plays the prompt; without it whom its settings name.")] = ""
    personas: Annotated[Names | None, described("By name; without them each scenario plays with its own.")] = None
    repeats: Annotated[int, Interval(ge=1, le=MAX_REPEATS), WHOLE] = 1
    seed: Annotated[int, Interval(ge=0, le=2_147_483_647), WHOLE] = 0
    override_reason: Annotated[
        Text, MaxLen(MAX_REASON), described("Why the judge's own model may propose; needed where it would.")
    ] = ""
    prove: Annotated[Flag, described("The best goes to the hold-out by itself, and spends a look.")] = False
    forecast_only: Annotated[Flag, described("Say what it would take, and start nothing.")] = False

    def choices(self) -> OptimizationChoices:
        """The choices as the service takes them."""
        budget = None if self.budget_usd is None else Decimal(str(self.budget_usd))
        return OptimizationChoices(
            evaluation_id=self.evaluation_id,
            mode=self.mode,
            drafts=self.drafts,
            own_drafts=self.own_drafts,
            evaluator_configs=tuple(self.evaluator_configs or ()),
            budget_usd=budget,
            name=self.name,
            agent=self.agent,
            personas=tuple(self.personas or ()),
            repeats=self.repeats,
            seed=self.seed,
            override_reason=self.override_reason,
            prove=self.prove,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationCombination(Shape):
    """Winning fixes in one draft, which is tried itself."""

    drafts: Annotated[tuple[Id, ...], MaxLen(_MAX_OWN), described("Without any, all that scored higher.")] = ()
    choices: Annotated[
        Mapping[str, Any],
        MaxLen(100),
        Check(words_of_sections),
        described("By the number of a section that is in conflict: the draft whose words count there, or live."),
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationProof(Shape):
    """Which draft goes to the hold-out."""

    draft: Annotated[Id | None, described("Without it the one that scored highest.")] = None
