"""A line of the log for each call of a model: the durable record beside the ledger's row (brief 000, section 1)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from apps.core.events import EventType, log_event

if TYPE_CHECKING:
    from uuid import UUID

    from apps.budgets.services.ledger import LedgerCall


def call_line(call: "LedgerCall", tenant_id: str) -> Mapping[str, Any]:
    """Write the log line of a call.

    It has the model, the subject of the question, the agent's prompt and the cost, the facts that spans say too. A cost
    that nobody knows is null.
    """
    of, attempt = call.call_for, call.attempt
    return {
        "tenant_id": tenant_id,
        "conversation_id": _text(of.conversation_id),
        "prompt_version": of.prompt_version,
        "model": attempt.model or attempt.requested_model,
        "provider": attempt.provider,
        "cost_usd": None if attempt.cost_usd is None else float(attempt.cost_usd),
        "purpose": of.purpose.value,
        "outcome": attempt.outcome,
        "latency_ms": attempt.latency_ms,
        "cached": call.cached,
        "call": str(call.id),
        "tenant": tenant_id,
        "run": _text(of.run_id),
        "evaluation": _text(of.evaluation_id),
    }


def log_calls(*, lines: Sequence[Mapping[str, Any]]) -> None:
    """Log one line for each call; never raises."""
    for line in lines:
        log_event(EventType.MODEL_CALLED, **line)


def _text(id: "UUID | None") -> str | None:
    return None if id is None else str(id)
