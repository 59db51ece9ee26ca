"""The choices of a person who asks for an optimization. Pure."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationChoices:
    """A request for an optimization. `drafts` None: as many as the mode usually writes; 0 with `own_drafts`: only those
    are tried. `evaluator_configs` empty: the evaluation's own version; the first decides, the others judge beside.
    `prove`: the best goes to the hold-out by itself, and spends a look."""

    evaluation_id: uuid.UUID
    mode: str = "surgical"
    drafts: int | None = None
    own_drafts: Sequence[uuid.UUID] = ()
    evaluator_configs: Sequence[str] = ()
    name: str = ""
    agent: str = ""
    personas: Sequence[str] = ()
    repeats: int = 1
    seed: int = 0
    budget_usd: Decimal | None = None
    override_reason: str = ""
    prove: bool = False
