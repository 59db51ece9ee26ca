"""Writing to the ledger."""

import json
import uuid
from collections import defaultdict
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, scopes_of
from apps.budgets.services.accounts import charge
from apps.connectors.llms.base import Attempt
from apps.core.json_hygiene import storable
from apps.core.models import new_id

_MOST_TOKENS = 2**31 - 1  # what an integer column holds
_MOST_USD = 10**6  # a dearer call is a price or a count gone wrong

# Rows as one JSON text: the ORM took more time for each of them than the database.
_ENTER = """
INSERT INTO budgets_modelcall
  (id, created_at, purpose, provider, requested_model, model, outcome, status, input_tokens, cached_tokens,
   output_tokens, reasoning_tokens, cost_usd, latency_ms, fallback, cached, saved_usd, error, request_id, run_id,
   evaluation_id, conversation_id, pull_request)
SELECT c.id, %(now)s, c.purpose, c.provider, c.requested_model, c.model, c.outcome, c.status, c.input_tokens,
  c.cached_tokens, c.output_tokens, c.reasoning_tokens, c.cost_usd, c.latency_ms, c.fallback, c.cached, c.saved_usd,
  c.error, c.request_id, c.run_id, c.evaluation_id, c.conversation_id, c.pull_request
FROM jsonb_to_recordset(%(calls)s::jsonb) AS c(
  id uuid, purpose text, provider text, requested_model text, model text, outcome text, status int, input_tokens int,
  cached_tokens int, output_tokens int, reasoning_tokens int, cost_usd numeric, latency_ms int, fallback boolean,
  cached boolean, saved_usd numeric, error text, request_id text, run_id uuid, evaluation_id uuid,
  conversation_id uuid, pull_request text)
ON CONFLICT DO NOTHING RETURNING id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFor:
    """What a call was made for."""

    purpose: Purpose
    run_id: uuid.UUID | None = None
    evaluation_id: uuid.UUID | None = None
    conversation_id: uuid.UUID | None = None
    pull_request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    """A call on its way into the ledger. Its id is made with it: entering it twice is entering it once.

    `cached`: nobody was asked, the answer was kept from before; `saved_usd` is what it had cost then.
    """

    made_for: CallFor
    attempt: Attempt
    cached: bool = False
    saved_usd: Decimal | None = None
    id: uuid.UUID = field(default_factory=new_id)


def record_calls(*, calls: Iterable[LedgerCall], cursor: Any = None) -> None:
    """Enter calls into the ledger, and charge the budgets they count for, all or nothing. Safe to repeat.

    The caller may hold a transaction, and give its cursor, which saves finding the schema again. One insert; three
    queries more where anything was paid. Budgets stay locked until that transaction ends: make this its last step but
    for `settle`. Whatever a provider says of itself can be entered: texts are made storable, counts cut to what a
    column holds, a cost beyond belief is unknown.
    """
    rows = [(call, _row(call)) for call in calls]
    if not rows:
        return
    now = timezone.now()
    with transaction.atomic(savepoint=False):
        with nullcontext(cursor) if cursor is not None else connection.cursor() as open_cursor:
            open_cursor.execute(_ENTER, {"now": now, "calls": json.dumps([row for _, row in rows])})
            entered = {id for (id,) in open_cursor.fetchall()}
        charge(_amounts([(call, row) for call, row in rows if call.id in entered and row["cost_usd"]], now))


def _amounts(rows: Iterable[tuple[LedgerCall, dict[str, Any]]], now: datetime) -> dict[Scope, Decimal]:
    amounts: dict[Scope, Decimal] = defaultdict(Decimal)
    for call, row in rows:
        for scope in scopes_of(at=now, run_id=call.made_for.run_id, pull_request=row["pull_request"]):
            amounts[scope] += call.attempt.cost_usd or Decimal(0)
    return amounts


def _row(call: LedgerCall) -> dict[str, Any]:
    made_for, attempt = call.made_for, call.attempt
    cost = attempt.cost_usd
    return {
        "id": str(call.id),
        "purpose": made_for.purpose,
        "provider": storable(attempt.provider)[:60],
        "requested_model": storable(attempt.requested_model)[:120],
        "model": storable(attempt.model)[:120],
        "outcome": storable(attempt.outcome)[:40],
        "status": attempt.status,
        "input_tokens": _count(attempt.usage.input_tokens),
        "cached_tokens": _count(attempt.usage.cached_tokens),
        "output_tokens": _count(attempt.usage.output_tokens),
        "reasoning_tokens": _count(attempt.usage.reasoning_tokens),
        "cost_usd": str(cost) if cost is not None and abs(cost) < _MOST_USD else None,
        "latency_ms": _count(attempt.latency_ms),
        "fallback": attempt.fallback,
        "cached": call.cached,
        "saved_usd": None if call.saved_usd is None else str(call.saved_usd),
        "error": storable(attempt.error)[:4000],
        "request_id": storable(attempt.request_id or "")[:200],
        "run_id": _text(made_for.run_id),
        "evaluation_id": _text(made_for.evaluation_id),
        "conversation_id": _text(made_for.conversation_id),
        "pull_request": storable(made_for.pull_request)[:200],
    }


def _text(id: uuid.UUID | None) -> str | None:
    return None if id is None else str(id)


def _count(told: int) -> int:
    return max(0, min(told, _MOST_TOKENS))
