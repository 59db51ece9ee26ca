"""The bodies that start a trial, lift a block and release a draft."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Name, Names
from apps.core.shapes import NOT_BLANK, WHOLE, Flag, Number, Shape, Text, described
from apps.improvement.drafts.domain.release import MAX_REASON
from apps.improvement.drafts.domain.trial_choices import MAX_REPEATS, TrialChoices
from apps.improvement.holdout.domain.parts import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRequest(Shape):
    """A draft against the live prompt, over the scenarios of one part."""

    evaluator_config: Annotated[Name, described("Its newest published version, or name@number.")]
    part: Annotated[Part, described("Only hold_out decides, and spends one of three looks for life.")] = Part.HOLD_OUT
    personas: Annotated[Names | None, described("By name; without them each scenario plays with its own.")] = None
    repeats: Annotated[int, Interval(ge=1, le=MAX_REPEATS), WHOLE] = 1
    seed: Annotated[int, Interval(ge=0, le=2_147_483_647), WHOLE] = 0
    agent: Annotated[Text, MaxLen(100), described("Who plays the prompt; without it whom its settings name.")] = ""
    budget_usd: (
        Annotated[Number, Interval(ge=0, le=1_000_000), described("The most that playing and judging may cost.")] | None
    ) = field(default=None)
    forecast_only: Annotated[Flag, described("Say what it would take, and start nothing.")] = False

    def choices(self) -> TrialChoices:
        """The choices as the service takes them."""
        budget = None if self.budget_usd is None else Decimal(str(self.budget_usd))
        return TrialChoices(
            evaluator_config=self.evaluator_config,
            part=self.part,
            personas=tuple(self.personas or ()),
            repeats=self.repeats,
            seed=self.seed,
            agent=self.agent,
            budget_usd=budget,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLiftRequest(Shape):
    """A person lets one criterion be worse."""

    criterion: Annotated[Text, MaxLen(100), NOT_BLANK]
    reason: Annotated[Text, MaxLen(MAX_REASON), NOT_BLANK]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReleaseRequest(Shape):
    """What a person says for a release; what it needs stands in GET of the same address."""

    reason: Annotated[Text, MaxLen(MAX_REASON), described("Needed where it was not shown to be better.")] = ""
    acknowledged: Annotated[Flag, described("Needed where a group is worse, or it was not shown to be better.")] = False
