"""Writing to the ledger: a row before each call, filled in after it."""

import json
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from apps.audit.domain.masking_rules import at_rest
from apps.budgets.domain.estimate import Estimate
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, scopes_of
from apps.budgets.models import ModelCall
from apps.budgets.services.accounts import charge
from apps.budgets.services.call_log import call_line, log_calls
from apps.connectors.llms.base import Attempt
from apps.core.cursors import cursor_or_new
from apps.core.inserting import columns_of, rows_as_json
from apps.core.json_hygiene import storable
from apps.core.models import new_id
from apps.tenants.context import current_slug

_MAX_TOKENS = 2**31 - 1  # what an integer column holds
_MAX_USD = 10**6  # a dearer call is a price or a count gone wrong
CALL_LEASE = timedelta(seconds=45)  # as long as a judgement's: three heartbeats
OPEN, LOST = "open", "lost"  # outcomes: not answered yet; its worker was killed
OFFLINE = "offline"  # the provider's name, which no row of a tenant may take
LOST_ERROR = "The worker that asked was lost before the answer was stored; the cost is the estimate."

_OPEN_ROWS = """
INSERT INTO budgets_modelcall
  (id, created_at, purpose, provider, requested_model, model, outcome, input_tokens, cached_tokens, output_tokens,
   reasoning_tokens, latency_ms, fallback, cached, error, request_id, run_id, evaluation_id, conversation_id,
   pull_request, estimate_usd, holder, expires_at)
SELECT id, %(created)s, purpose, provider, requested_model, '', 'open', 0, 0, 0, 0, 0, fallback, false, '', '', run_id,
  evaluation_id, conversation_id, pull_request, estimate_usd, %(holder)s, %(expires)s
FROM jsonb_to_recordset(%(rows)s::jsonb) AS r(
  id uuid, purpose text, provider text, requested_model text, fallback boolean, run_id uuid, evaluation_id uuid,
  conversation_id uuid, pull_request text, estimate_usd numeric)
ON CONFLICT (id) DO NOTHING
"""

# A row that was opened is filled in; what was counted for it before (the estimate of a lost one) is taken off. Its lock
# is taken first, so that nobody declares it lost meanwhile.
_FILL = """
WITH before AS MATERIALIZED (
  SELECT id, cost_usd FROM budgets_modelcall WHERE id = ANY(%(ids)s) AND outcome IN ('open', 'lost')
  ORDER BY id FOR UPDATE
), written AS (
  INSERT INTO budgets_modelcall AS m ({names})
  SELECT {names} FROM jsonb_to_recordset(%(rows)s::jsonb) AS r({typed}) WHERE (SELECT count(*) FROM before) >= 0
  ON CONFLICT (id) DO UPDATE SET {sets} WHERE m.outcome IN ('open', 'lost')
  RETURNING m.id, m.created_at, m.run_id, m.pull_request, m.cost_usd
)
SELECT w.created_at, w.run_id, w.pull_request, coalesce(w.cost_usd, 0) - coalesce(b.cost_usd, 0), w.id
FROM written w LEFT JOIN before b ON b.id = w.id
"""
_AS_OPENED = ("id", "created_at", "estimate_usd")  # of a row that is filled in, these stay

# Those that somebody fills in at this moment are not lost.
_LOSE = """
UPDATE budgets_modelcall SET outcome = 'lost', cost_usd = estimate_usd, error = %(error)s, expires_at = NULL
WHERE id IN (SELECT id FROM budgets_modelcall WHERE expires_at <= %(now)s FOR UPDATE SKIP LOCKED)
RETURNING created_at, run_id, pull_request, coalesce(cost_usd, 0)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFor:
    """The purpose and owner of a call; `prompt_version` is the agent's, for the log."""

    purpose: Purpose
    run_id: uuid.UUID | None = None
    evaluation_id: uuid.UUID | None = None
    conversation_id: uuid.UUID | None = None
    pull_request: str = ""
    prompt_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    """A call on its way into the ledger. Its id is made with it: entering it twice is entering it once.

    `cached`: nobody was asked, the answer was kept from before; `saved_usd` is what it had cost then.
    """

    call_for: CallFor
    attempt: Attempt
    cached: bool = False
    saved_usd: Decimal | None = None
    id: uuid.UUID = field(default_factory=new_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """A call that is about to be made. `estimate_usd` is its highest cost, None if unknown.
    `question` is the cost of its question with any model, None for a further attempt."""

    call_for: CallFor
    provider: str
    model: str
    estimate_usd: Decimal | None
    fallback: bool = False
    question: Estimate | None = None
    id: uuid.UUID = field(default_factory=new_id)


def open_calls(*, calls: Iterable[OpenCall], holder: uuid.UUID, now: datetime, cursor: Any = None) -> None:
    """Write the rows of calls before they are made. One insert, none for no calls. Safe to repeat."""
    rows = [_open_row(call) for call in calls]
    if not rows:
        return
    # `now` may be a worker's own clock; the month that a call counts for is the real one.
    params = {"rows": json.dumps(rows), "holder": holder, "expires": now + CALL_LEASE, "created": timezone.now()}
    with cursor_or_new(cursor) as open_cursor:
        open_cursor.execute(_OPEN_ROWS, params)


def extend_calls(*, holder: uuid.UUID, now: datetime) -> int:
    """Extend the leases of this holder's open calls by CALL_LEASE; returns how many. Safe to repeat. One query."""
    waiting = ModelCall.objects.filter(holder=holder, expires_at__isnull=False)
    return waiting.update(expires_at=now + CALL_LEASE)


def drop_unused(*, ids: Collection[uuid.UUID], cursor: Any = None) -> None:
    """Take back rows of calls that were never made. One query, none for none."""
    if ids:
        with cursor_or_new(cursor) as open_cursor:
            open_cursor.execute("DELETE FROM budgets_modelcall WHERE id = ANY(%s) AND outcome = 'open'", [list(ids)])


def settle_lost(*, now: datetime) -> int:
    """Settle the calls of killed workers at their highest cost; return how many. Safe to repeat and race.

    One query where none is lost. A worker that was only late corrects its row when it settles it.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOSE, {"now": now, "error": LOST_ERROR})
        rows = cursor.fetchall()
        charge(_amounts(rows))
    return len(rows)


def record_calls(*, calls: Iterable[LedgerCall], cursor: Any = None) -> None:
    """Settle calls: fill in the rows that were opened for them, or enter new ones, and charge the budgets.

    The budgets are those they count for, all or nothing. Safe to repeat.

    The caller may hold a transaction, and give its cursor, which saves finding the schema again. One statement; three
    more where anything was paid. Budgets stay locked until that transaction ends: make this its last step but for
    `release`. Whatever a provider says of itself can be entered: texts are made storable, counts cut to what a
    column holds, a cost beyond belief is unknown. The offline rules are no model: what they answer is no call. When it
    is committed, each call is a line of the log.
    """
    now = timezone.now()
    paid = [call for call in calls if call.attempt.provider != OFFLINE]
    rows = [_row(call, now) for call in paid]
    if not rows:
        return
    with transaction.atomic(savepoint=False), cursor_or_new(cursor) as open_cursor:
        open_cursor.execute(_fill(), {"ids": [row.id for row in rows], "rows": rows_as_json(rows)})
        written = open_cursor.fetchall()
        charge(_amounts(row[:4] for row in written))
    ids = {row[4] for row in written}
    lines = [call_line(call, current_slug()) for call in paid if call.id in ids]
    transaction.on_commit(partial(log_calls, lines=lines))


@lru_cache(maxsize=1)
def _fill() -> str:
    columns = columns_of(ModelCall)
    return _FILL.format(
        names=", ".join(f'"{name}"' for name, _ in columns),
        typed=", ".join(f'"{name}" {kind}' for name, kind in columns),
        sets=", ".join(f'"{name}" = excluded."{name}"' for name, _ in columns if name not in _AS_OPENED),
    )


def _amounts(rows: Iterable[Sequence[Any]]) -> dict[Scope, Decimal]:
    """Return by how much each budget's sum changes. Rows are (created_at, run_id, pull_request, dollars)."""
    amounts: dict[Scope, Decimal] = defaultdict(Decimal)
    for created_at, run_id, pull_request, usd in rows:
        if usd:
            for scope in scopes_of(at=created_at, run_id=run_id, pull_request=pull_request):
                amounts[scope] += usd
    return amounts


def _open_row(call: OpenCall) -> dict[str, Any]:
    call_for, estimate = call.call_for, call.estimate_usd
    return {
        "id": str(call.id),
        "purpose": call_for.purpose.value,
        "provider": storable(call.provider)[:100],
        "requested_model": storable(call.model)[:120],
        "fallback": call.fallback,
        "estimate_usd": None if estimate is None else str(min(estimate, Decimal(_MAX_USD) - 1)),
        "run_id": _text(call_for.run_id),
        "evaluation_id": _text(call_for.evaluation_id),
        "conversation_id": _text(call_for.conversation_id),
        "pull_request": storable(call_for.pull_request)[:200],
    }


def _text(id: uuid.UUID | None) -> str | None:
    return None if id is None else str(id)


def _row(call: LedgerCall, now: datetime) -> ModelCall:
    call_for, attempt = call.call_for, call.attempt
    cost = attempt.cost_usd
    return ModelCall(
        id=call.id,
        created_at=now,
        purpose=call_for.purpose,
        provider=storable(attempt.provider)[:100],
        requested_model=storable(attempt.requested_model)[:120],
        model=storable(attempt.model)[:120],
        outcome=storable(attempt.outcome)[:40],
        status=attempt.status,
        input_tokens=_count(attempt.usage.input_tokens),
        cached_tokens=_count(attempt.usage.cached_tokens),
        output_tokens=_count(attempt.usage.output_tokens),
        reasoning_tokens=_count(attempt.usage.reasoning_tokens),
        cost_usd=cost if cost is not None and abs(cost) < _MAX_USD else None,
        latency_ms=_count(attempt.latency_ms),
        fallback=attempt.fallback,
        cached=call.cached,
        saved_usd=call.saved_usd,
        error=at_rest(ModelCall._meta.db_table, {"error": storable(attempt.error)})["error"][:4000],
        request_id=storable(attempt.request_id or "")[:200],
        run_id=call_for.run_id,
        evaluation_id=call_for.evaluation_id,
        conversation_id=call_for.conversation_id,
        pull_request=storable(call_for.pull_request)[:200],
    )


def _count(tokens: int) -> int:
    return max(0, min(tokens, _MAX_TOKENS))
