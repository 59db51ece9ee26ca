"""The choices of a person who asks for a trial. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from apps.improvement.holdout.domain.parts import Part

MAX_REPEATS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialChoices:
    """A request for a trial. `personas` empty: each scenario with its own; `agent` "": the line's own. Those of an
    optimization's trials name whose budget pays (`budget_name`), who judges beside, may end early (`futility`), and may
    play some families of a part alone (`families`; never of the hold-out)."""

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
