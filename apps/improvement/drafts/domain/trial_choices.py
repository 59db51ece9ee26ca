"""The choices of a person who asks for a trial. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from apps.improvement.holdout.domain.parts import Part

MAX_REPEATS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialChoices:
    """A request for a trial. Without `personas` each scenario plays its own; no `agent`: the prompt's.
    Trials of an optimization may name the budget that pays (`budget_name`) and more evaluators (`further_configs`), end
    early (`futility`), and play some families of a part alone (`families`, never of the hold-out)."""

    evaluator_config: str
    part: Part = Part.HOLD_OUT
    personas: Sequence[str] = ()
    repeats: int = 1
    seed: int = 0
    agent: str = ""
    budget_usd: Decimal | None = None
    budget_name: str = ""
    further_configs: Sequence[str] = ()
    futility: bool = False
    families: Sequence[str] = ()
