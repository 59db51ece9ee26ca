"""The choices of a person who asks for an optimization. Pure."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationChoices:
    """A request for an optimization. `drafts` None: the mode's default; 0: only `own_drafts` are tried.
    `evaluator_configs` default to the evaluation's own; the first decides, the others are judged beside it. With
    `prove` the best draft goes to the hold-out, which spends a look."""

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
