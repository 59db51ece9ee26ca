"""Reserve before a call, settle after. Race-free by the row locks of the budgets, and never for ever: promises end.

What is promised is not stored: it is the sum of the reservations that have not ended, read under the lock of the rows
they count for. A worker that is killed extends nothing, and its promises end by themselves.
"""

import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection, transaction

from apps.budgets.domain.allowance import Account, Ask, Refused, grant
from apps.budgets.domain.scopes import Scope, ScopeKind, month_span, scopes_of
from apps.budgets.domain.sentences import spent_detail, spent_sentence, warning_sentence
from apps.budgets.models import Budget, Reservation
from apps.budgets.queries.limits import Limits, limits_in_force
from apps.budgets.services.accounts import locked
from apps.core.cursors import given_or_new
from apps.core.events import EventType, log_event

LEASE = timedelta(seconds=120)  # longer than the work's own: what is re-claimed takes its reservation along

_PROMISED = """
SELECT b.id, sum(r.usd) FROM budgets_reservation r, unnest(r.budgets) AS b(id)
WHERE r.expires_at > %(now)s GROUP BY b.id
"""

_RESERVE = """
INSERT INTO budgets_reservation (id, holder, budgets, usd, expires_at)
SELECT (w->>'id')::uuid, %(holder)s, ARRAY(SELECT jsonb_array_elements_text(w->'budgets'))::uuid[],
  (w->>'usd')::numeric, %(expires)s
FROM jsonb_array_elements(%(work)s::jsonb) AS w
ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, budgets = excluded.budgets, usd = excluded.usd,
  expires_at = excluded.expires_at
"""

# Plain SQL: the ORM reads rows before it deletes them.
_SETTLE = """
DELETE FROM budgets_reservation WHERE holder = %(holder)s AND (%(ids)s::uuid[] IS NULL OR id = ANY(%(ids)s::uuid[]))
"""


_Event = tuple[EventType, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """Money for one piece of work: `usd` at most, 0 for what costs nothing. `id` is the work's."""

    id: uuid.UUID
    usd: Decimal
    run_id: uuid.UUID | None = None
    pull_request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMoney:
    """Why work was refused. PROMISED ends by itself when calls in flight have ended; SPENT does not, or not before
    `until` (the month's end)."""

    why: Refused
    scope: Scope
    sentence: str
    detail: str = ""

    @property
    def until(self) -> datetime | None:
        """When a spent month ends; None where only a raise helps."""
        return month_span(self.scope.name)[1] if self.scope.kind is ScopeKind.MONTH else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """What was decided: whatever is not in `refused` may be done. `in_danger` are budgets past their warning."""

    refused: Mapping[uuid.UUID, NoMoney] = field(default_factory=dict)
    in_danger: frozenset[Scope] = frozenset()


def reserve(*, holder: uuid.UUID, wants: Sequence[Want], now: datetime) -> Reserved:
    """Promise money to pieces of work, in order; all of it in one short transaction.

    Costs nothing for work that costs nothing; else about eight statements, whatever the number. Safe to repeat: a
    reservation belongs to its work. Warnings and stops are written down and logged once.
    """
    paid = [want for want in wants if want.usd > 0]
    if not paid:
        return Reserved()
    scopes = {want.id: scopes_of(at=now, run_id=want.run_id, pull_request=want.pull_request) for want in paid}
    limits = limits_in_force()
    with transaction.atomic():
        rows = locked({scope for each in scopes.values() for scope in each})
        accounts = _accounts(rows, limits, now=now)
        answers = grant(accounts, _asks(paid, scopes))
        granted = [want for want, no in zip(paid, answers, strict=True) if no is None]
        _write(granted, scopes, holder, now)
        refused = {
            want.id: _no_money(no.budget, no.why, accounts, want.usd)
            for want, no in zip(paid, answers, strict=True)
            if no is not None
        }
        needed = {want.id: want.usd for want in paid}
        events = _stops(rows, refused, needed, now)
        danger = frozenset(scope for scope, account in accounts.items() if account.in_danger(limits.warn_share))
        events += _warnings(rows, accounts, danger, now)
    for event, fields in events:
        log_event(event, **fields)
    return Reserved(refused=refused, in_danger=danger)


def extend(*, holder: uuid.UUID, now: datetime) -> int:
    """The heartbeat: keep what this holder was promised. One query."""
    return Reservation.objects.filter(holder=holder).update(expires_at=now + LEASE)


def settle(*, holder: uuid.UUID, ids: Collection[Any] | None = None, cursor: Any = None) -> int:
    """Give promises back: of work whose calls are in the ledger (same transaction, and its cursor where the caller has
    one), or all of a holder's. One query."""
    which = None if ids is None else list(ids)
    with given_or_new(cursor) as open_cursor:
        open_cursor.execute(_SETTLE, {"holder": holder, "ids": which})
        return int(open_cursor.rowcount)


def _asks(wants: Sequence[Want], scopes: Mapping[uuid.UUID, tuple[Scope, ...]]) -> list[Ask[Scope]]:
    """What is wanted beyond what the same work was promised already, by whoever held it before."""
    held = dict(Reservation.objects.filter(pk__in=[want.id for want in wants]).values_list("id", "usd"))
    return [
        Ask(usd=max(Decimal(0), want.usd - held.get(want.id, Decimal(0))), budgets=scopes[want.id]) for want in wants
    ]


def _accounts(rows: Mapping[Scope, Budget], limits: Limits, *, now: datetime) -> dict[Scope, Account]:
    Reservation.objects.filter(expires_at__lte=now).delete()  # those of killed workers: nobody else misses them
    with connection.cursor() as cursor:
        cursor.execute(_PROMISED, {"now": now})
        promised = dict(cursor.fetchall())
    return {
        scope: Account(limit=limits.of(row), spent=row.spent_usd, promised=promised.get(row.pk, Decimal(0)))
        for scope, row in rows.items()
    }


def _write(
    granted: Sequence[Want], scopes: Mapping[uuid.UUID, tuple[Scope, ...]], holder: uuid.UUID, now: datetime
) -> None:
    if not granted:
        return
    work = [
        {"id": str(want.id), "usd": str(want.usd), "budgets": [str(scope.id) for scope in scopes[want.id]]}
        for want in granted
    ]
    with connection.cursor() as cursor:
        cursor.execute(_RESERVE, {"holder": holder, "expires": now + LEASE, "work": json.dumps(work)})


def _no_money(scope: Scope, why: Refused, accounts: Mapping[Scope, Account], usd: Decimal) -> NoMoney:
    account = accounts[scope]
    limit = account.limit or Decimal(0)
    if why is Refused.PROMISED:
        return NoMoney(why=why, scope=scope, sentence=f"what is left of {scope} is promised to calls in flight")
    return NoMoney(
        why=why,
        scope=scope,
        sentence=spent_sentence(scope, limit=limit),
        detail=spent_detail(spent=account.spent, limit=limit, needed=usd),
    )


def _stops(
    rows: Mapping[Scope, Budget],
    refused: Mapping[uuid.UUID, NoMoney],
    needed: Mapping[uuid.UUID, Decimal],
    now: datetime,
) -> list[_Event]:
    """Write down which budgets stopped work, and the least that would have been needed."""
    stopped: dict[Scope, tuple[Decimal, str]] = {}
    for id, no in refused.items():
        if no.why is Refused.SPENT:
            least = min(needed[id], stopped[no.scope][0]) if no.scope in stopped else needed[id]
            stopped[no.scope] = (least, no.detail)
    events: list[_Event] = []
    for scope, (least, sentence) in stopped.items():
        row = rows[scope]
        if row.stopped_at is None:
            events.append((EventType.BUDGET_SPENT, {"budget": str(scope), "why": sentence}))
        elif row.needed_usd is not None and row.needed_usd <= least:
            continue
        Budget.objects.filter(pk=row.pk).update(stopped_at=row.stopped_at or now, needed_usd=least)
    return events


def _warnings(
    rows: Mapping[Scope, Budget], accounts: Mapping[Scope, Account], danger: frozenset[Scope], now: datetime
) -> list[_Event]:
    events: list[_Event] = []
    for scope in sorted(danger):
        limit = accounts[scope].limit
        if rows[scope].warned_at is None and limit is not None:
            Budget.objects.filter(pk=rows[scope].pk).update(warned_at=now)
            why = warning_sentence(scope, spent=accounts[scope].spent, limit=limit)
            events.append((EventType.BUDGET_WARNING, {"budget": str(scope), "why": why}))
    return events
