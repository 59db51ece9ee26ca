"""Reserve before a call, settle after. Race-free by the row locks of the budgets, and never for ever: promises end.

What is promised is not stored: it is the sum of the reservations that have not ended, read under the lock of the rows
they count for. A worker that is killed extends nothing, and its promises end by themselves.
"""

import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from apps.budgets.domain.allowance import Account, Amount, RefusalReason, grant
from apps.budgets.domain.estimate import PriceState
from apps.budgets.domain.scopes import Scope, month_span, scopes_of
from apps.budgets.domain.sentences import (
    held_sentence,
    spent_detail,
    spent_sentence,
    unpriced_sentence,
    warning_sentence,
)
from apps.budgets.models import Budget, Reservation
from apps.budgets.queries.limits import Limits, limits_in_force
from apps.budgets.services.accounts import locked
from apps.budgets.services.ledger import settle_lost
from apps.core.cursors import cursor_or_new
from apps.core.events import EventType, log_event

LEAST = Decimal("0.00000001")  # what the columns hold
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
_RELEASE = """
DELETE FROM budgets_reservation WHERE holder = %(holder)s AND (%(ids)s::uuid[] IS NULL OR id = ANY(%(ids)s::uuid[]))
"""


_Event = tuple[EventType, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationRequest:
    """Money for one piece of work: `usd` at most, 0 for what costs nothing. `id` is the work's.

    `price` and `unpriced` say where a model's price is not known (domain/estimate).
    """

    id: uuid.UUID
    usd: Decimal
    price: PriceState = PriceState.KNOWN
    unpriced: str = ""
    run_id: uuid.UUID | None = None
    pull_request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Refusal of work for lack of money.

    PROMISED ends by itself when calls in flight have ended; SPENT does not, or not before `until` (the month's end);
    UNPRICED when somebody declares the price or lifts the limit.
    """

    why: RefusalReason
    scope: Scope
    sentence: str
    detail: str = ""

    @property
    def until(self) -> datetime | None:
        """The end of a spent budget's month. None for other budgets: somebody has to raise their limit."""
        return month_span(self.scope.month)[1] if self.scope.month else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """The decision about reservations: work that is not in `refused` may be done. `past_warning` are budgets past their
    warning; `promised` is how much work was promised money."""

    refused: Mapping[uuid.UUID, Refusal] = field(default_factory=dict)
    past_warning: frozenset[Scope] = frozenset()
    promised: int = 0


def reserve(*, holder: uuid.UUID, requests: Sequence[ReservationRequest], now: datetime) -> Reserved:
    """Reserve money for pieces of work, in order and in one short transaction.

    Free work takes no query; other work about ten statements in all. Safe to repeat: a reservation belongs to its work.
    Warnings and stops are stored and logged once. Where a limit is set, work at an unknown price is treated by its
    model: one that was never called is promised all that is left (its first reply may tell the price), one that was
    called and told no price is refused.
    """
    paid = [request for request in requests if request.usd > 0 or request.price is not PriceState.KNOWN]
    if not paid:
        return Reserved()
    limits = limits_in_force()
    if not any(request.usd for request in paid) and not _any_limit_set(limits):
        return Reserved()
    settle_lost(now=now)
    scopes = {one.id: scopes_of(at=now, run_id=one.run_id, pull_request=one.pull_request) for one in paid}
    with transaction.atomic():
        rows = locked({scope for each in scopes.values() for scope in each})
        accounts = _accounts(rows, limits, taken_over=list(scopes), now=now)
        refused = _without_a_price(paid, scopes, rows, limits)
        open_to_all = [request for request in paid if request.id not in refused]
        amounts = [_amount(request, scopes[request.id], rows, limits) for request in open_to_all]
        answers = list(zip(open_to_all, amounts, grant(accounts, amounts), strict=True))
        granted = [(request.id, amount) for request, amount, short in answers if short is None]
        held = _held(accounts, [amount for _, amount in granted])
        for request, amount, short in answers:
            if short is not None:
                account = replace(accounts[short.budget], promised=held[short.budget])
                refused[request.id] = _refusal(short.budget, short.why, account, amount.usd)
        _write(granted, holder, now)
        needed = {request.id: amount.usd for request, amount in zip(open_to_all, amounts, strict=True)}
        events = _stops(rows, refused, needed, now)
        warned = frozenset(scope for scope, account in accounts.items() if account.past_warning(limits.warn_share))
        events += _warnings(rows, accounts, warned, now)
    for event, fields in events:
        log_event(event, **fields)
    return Reserved(refused=refused, past_warning=warned, promised=len(granted))


def extend(*, holder: uuid.UUID, now: datetime) -> int:
    """The heartbeat: keep what this holder was promised. One query."""
    return Reservation.objects.filter(holder=holder).update(expires_at=now + LEASE)


def release(*, holder: uuid.UUID, ids: Collection[Any] | None = None, cursor: Any = None) -> int:
    """Release reservations and return how many: those of `ids`, or all of the holder.

    Work whose calls are in the ledger releases its own, in the same transaction (with its `cursor`). One query.
    """
    which = None if ids is None else list(ids)
    with cursor_or_new(cursor) as open_cursor:
        open_cursor.execute(_RELEASE, {"holder": holder, "ids": which})
        return int(open_cursor.rowcount)


def _any_limit_set(limits: Limits) -> bool:
    """Tell whether anybody set any limit: if not, work whose price nobody knows costs no more than this question."""
    own = Q(limit_usd__isnull=False) | Q(declared_usd__isnull=False)
    return bool(limits.chosen) or Budget.objects.filter(own).exists()


def _binding(scopes: Sequence[Scope], rows: Mapping[Scope, Budget], limits: Limits) -> list[tuple[Decimal, Scope]]:
    """The rest of each limit that somebody set, the smallest rest first."""
    limited = [(limits.binding(rows[scope]), scope) for scope in scopes]
    return sorted((limit - rows[scope].spent_usd, scope) for limit, scope in limited if limit is not None)


def _without_a_price(
    requests: Sequence[ReservationRequest],
    scopes: Mapping[uuid.UUID, tuple[Scope, ...]],
    rows: Mapping[Scope, Budget],
    limits: Limits,
) -> dict[uuid.UUID, Refusal]:
    refused = {}
    for request in requests:
        if request.price is PriceState.UNTOLD and (binding := _binding(scopes[request.id], rows, limits)):
            scope = binding[0][1]
            sentence = unpriced_sentence(scope, model=request.unpriced)
            refused[request.id] = Refusal(why=RefusalReason.UNPRICED, scope=scope, sentence=sentence, detail=sentence)
    return refused


def _amount(
    request: ReservationRequest, scopes: tuple[Scope, ...], rows: Mapping[Scope, Budget], limits: Limits
) -> Amount[Scope]:
    usd = request.usd
    if request.price is PriceState.UNTRIED and (binding := _binding(scopes, rows, limits)):
        usd = max(usd, binding[0][0], LEAST)
    return Amount(usd=usd, budgets=scopes)


def _accounts(
    rows: Mapping[Scope, Budget], limits: Limits, *, taken_over: Sequence[uuid.UUID], now: datetime
) -> dict[Scope, Account]:
    """Return the accounts without promises to killed workers, also for the work that is taken over now.

    It asks anew, beside what the lost calls may have cost.
    """
    Reservation.objects.filter(Q(expires_at__lte=now) | Q(pk__in=taken_over)).delete()
    with connection.cursor() as cursor:
        cursor.execute(_PROMISED, {"now": now})
        promised = dict(cursor.fetchall())
    return {
        scope: Account(limit=limits.of(row), spent=row.spent_usd, promised=promised.get(row.pk, Decimal(0)))
        for scope, row in rows.items()
    }


def _write(granted: Sequence[tuple[uuid.UUID, Amount[Scope]]], holder: uuid.UUID, now: datetime) -> None:
    work = [
        {"id": str(id), "usd": str(amount.usd), "budgets": [str(scope.id) for scope in amount.budgets]}
        for id, amount in granted
        if amount.usd > 0
    ]
    if not work:
        return
    with connection.cursor() as cursor:
        cursor.execute(_RESERVE, {"holder": holder, "expires": now + LEASE, "work": json.dumps(work)})


def _held(accounts: Mapping[Scope, Account], granted: Sequence[Amount[Scope]]) -> dict[Scope, Decimal]:
    """The money that open reservations hold of each budget, those granted just now included."""
    held = {scope: account.promised for scope, account in accounts.items()}
    for amount in granted:
        for scope in amount.budgets:
            held[scope] += amount.usd
    return held


def _refusal(scope: Scope, why: RefusalReason, account: Account, usd: Decimal) -> Refusal:
    limit = account.limit or Decimal(0)
    if why is RefusalReason.PROMISED:
        sentence = held_sentence(scope, limit=limit, spent=account.spent, held=account.promised)
        return Refusal(why=why, scope=scope, sentence=sentence)
    return Refusal(
        why=why,
        scope=scope,
        sentence=spent_sentence(scope, limit=limit, spent=account.spent, held=account.promised),
        detail=spent_detail(spent=account.spent, limit=limit, needed=usd),
    )


def _stops(
    rows: Mapping[Scope, Budget],
    refused: Mapping[uuid.UUID, Refusal],
    needed: Mapping[uuid.UUID, Decimal],
    now: datetime,
) -> list[_Event]:
    """Write down which budgets stopped work, and the least that would have been needed."""
    stopped: dict[Scope, tuple[Decimal, str]] = {}
    for id, no in refused.items():
        if no.why is RefusalReason.SPENT:
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
    rows: Mapping[Scope, Budget], accounts: Mapping[Scope, Account], warned: frozenset[Scope], now: datetime
) -> list[_Event]:
    events: list[_Event] = []
    for scope in sorted(warned):
        limit = accounts[scope].limit
        if rows[scope].warned_at is None and limit is not None:
            Budget.objects.filter(pk=rows[scope].pk).update(warned_at=now)
            why = warning_sentence(scope, spent=accounts[scope].spent, limit=limit)
            events.append((EventType.BUDGET_WARNING, {"budget": str(scope), "why": why}))
    return events
