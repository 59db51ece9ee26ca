"""Writing to the ledger."""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, scopes_of
from apps.budgets.models import ModelCall
from apps.budgets.services.accounts import charge
from apps.connectors.llms.base import Attempt
from apps.core.inserting import insert_new
from apps.core.json_hygiene import storable
from apps.core.models import new_id

_MOST_TOKENS = 2**31 - 1  # what an integer column holds
_MOST_USD = 10**6  # a dearer call is a price or a count gone wrong


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
    now = timezone.now()
    rows = [_row(call, now) for call in calls]
    if not rows:
        return
    with transaction.atomic(savepoint=False):
        entered = insert_new(rows, cursor=cursor)
        charge(_amounts(row for row in rows if row.id in entered and row.cost_usd))


def _amounts(rows: Iterable[ModelCall]) -> dict[Scope, Decimal]:
    amounts: dict[Scope, Decimal] = defaultdict(Decimal)
    for row in rows:
        for scope in scopes_of(at=row.created_at, run_id=row.run_id, pull_request=row.pull_request):
            amounts[scope] += row.cost_usd or Decimal(0)
    return amounts


def _row(call: LedgerCall, now: datetime) -> ModelCall:
    made_for, attempt = call.made_for, call.attempt
    cost = attempt.cost_usd
    return ModelCall(
        id=call.id,
        created_at=now,
        purpose=made_for.purpose,
        provider=storable(attempt.provider)[:100],
        requested_model=storable(attempt.requested_model)[:120],
        model=storable(attempt.model)[:120],
        outcome=storable(attempt.outcome)[:40],
        status=attempt.status,
        input_tokens=_count(attempt.usage.input_tokens),
        cached_tokens=_count(attempt.usage.cached_tokens),
        output_tokens=_count(attempt.usage.output_tokens),
        reasoning_tokens=_count(attempt.usage.reasoning_tokens),
        cost_usd=cost if cost is not None and abs(cost) < _MOST_USD else None,
        latency_ms=_count(attempt.latency_ms),
        fallback=attempt.fallback,
        cached=call.cached,
        saved_usd=call.saved_usd,
        error=storable(attempt.error)[:4000],
        request_id=storable(attempt.request_id or "")[:200],
        run_id=made_for.run_id,
        evaluation_id=made_for.evaluation_id,
        conversation_id=made_for.conversation_id,
        pull_request=storable(made_for.pull_request)[:200],
    )


def _count(told: int) -> int:
    return max(0, min(told, _MOST_TOKENS))
