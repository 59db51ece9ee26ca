"""Writing to the ledger."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field

from apps.budgets.domain.purpose import Purpose
from apps.budgets.models import ModelCall
from apps.connectors.llms.base import Attempt
from apps.core.models import new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFor:
    """What a call was made for."""

    purpose: Purpose
    run_id: uuid.UUID | None = None
    evaluation_id: uuid.UUID | None = None
    conversation_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    """A call on its way into the ledger. Its id is made with it: entering it twice is entering it once."""

    made_for: CallFor
    attempt: Attempt
    id: uuid.UUID = field(default_factory=new_id)


def record_calls(*, calls: Iterable[LedgerCall]) -> None:
    """Enter calls into the ledger; the caller decides the transaction. One insert per 2,000. Safe to repeat."""
    rows = [
        ModelCall(
            id=call_id,
            purpose=made_for.purpose,
            provider=attempt.provider,
            requested_model=attempt.requested_model[:120],
            model=attempt.model[:120],
            outcome=attempt.outcome,
            status=attempt.status,
            input_tokens=attempt.usage.input_tokens,
            cached_tokens=attempt.usage.cached_tokens,
            output_tokens=attempt.usage.output_tokens,
            reasoning_tokens=attempt.usage.reasoning_tokens,
            cost_usd=attempt.cost_usd,
            latency_ms=attempt.latency_ms,
            fallback=attempt.fallback,
            error=attempt.error.replace("\x00", "")[:4000],
            request_id=(attempt.request_id or "")[:200],
            run_id=made_for.run_id,
            evaluation_id=made_for.evaluation_id,
            conversation_id=made_for.conversation_id,
        )
        for call_id, made_for, attempt in ((call.id, call.made_for, call.attempt) for call in calls)
    ]
    if rows:
        ModelCall.objects.bulk_create(rows, batch_size=2000, ignore_conflicts=True)
