"""Sending what is due, many receivers at a time, so that one that hangs delays no other.

Two queues. The quick one is the control worker's: it gives a receiver QUICK_S. A receiver that did not answer by then
gets its next attempts in the patient queue, with all the time of the standard, where no tick and no healthy receiver
waits for it. At most `per_receiver` attempts of a kind to one receiver are under way in a pass.
"""

import uuid
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.module_loading import import_string

from apps.connectors import callbacks
from apps.connectors.parallel import Delivery, ParallelCalls
from apps.core.events import log_event
from apps.core.models import StateQuerySet, new_id
from apps.jobs.deliveries import DeliveryKind, delivery_kinds
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.domain.delivery_schedule import next_attempt
from apps.jobs.domain.delivery_states import DeliveryStatus
from apps.jobs.models import OutboundDelivery
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable
from apps.jobs.services.outbound import LEASE, SLOW, DeliveryAdapter, DueDelivery, PreparedDelivery, RecordsOutcomes

PATIENCE_S = 5.0  # then a pass begins nothing more: other tenants have their turn
LOOK_S = 0.5  # between two looks at what became due while others are under way
LATER = timedelta(seconds=15)  # what waits behind an attempt that got no answer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queue:
    table: LeasedTable
    within_s: Callable[[], float]
    behind: timedelta  # how long what waits behind an unanswered attempt of the same receiver is put off


def _table(which: str) -> LeasedTable:
    return LeasedTable(
        table="jobs_outbounddelivery",
        lease=LEASE,
        pending=f"w.status = 'pending' AND w.kind = %(kind)s AND w.waiting_for {which} '{SLOW}'",
        order="w.not_before, w.id",
        select="SELECT id, subject_id, event, attempts FROM claimed ORDER BY not_before, id",
    )


_QUICK = _Queue(table=_table("<>"), within_s=lambda: callbacks.QUICK_S, behind=timedelta())
_PATIENT = _Queue(table=_table("="), within_s=lambda: callbacks.TIMEOUT_S, behind=LATER)


def deliver_due(*, now: Callable[[], datetime], kinds: Sequence[DeliveryKind] | None = None) -> int:
    """Send what is due of these kinds (of all), but for slow receivers; returns how many attempts were made. Safe to
    repeat and to race. Outside any transaction; some QUICK_S + PATIENCE_S a kind at most."""
    return sum(_Pass(kind=kind, queue=_QUICK, now=now).run() for kind in _these(kinds))


def deliver_to_slow(*, now: Callable[[], datetime], kinds: Sequence[DeliveryKind] | None = None) -> int:
    """Deliver to receivers that did not answer quickly; at most twenty seconds a kind."""
    return sum(_Pass(kind=kind, queue=_PATIENT, now=now).run() for kind in _these(kinds))


def slow_is_due(*, now: datetime, kinds: Sequence[DeliveryKind] | None = None) -> bool:
    """Tell whether a slow receiver could be tried now. One query for each kind."""
    return any(_PATIENT.table.is_due(now=now, kind=kind.name) for kind in _these(kinds))


def _these(kinds: Sequence[DeliveryKind] | None) -> Sequence[DeliveryKind]:
    return delivery_kinds() if kinds is None else kinds


class _Pass:
    """One worker's turn at one kind of delivery."""

    def __init__(self, *, kind: DeliveryKind, queue: _Queue, now: Callable[[], datetime]) -> None:
        self.kind, self.queue, self.now = kind, queue, now
        self.adapter: DeliveryAdapter = import_string(kind.adapter)
        self.token = new_id()
        self.open: dict[uuid.UUID, tuple[DueDelivery, str]] = {}
        self.waiting: dict[str, deque[tuple[DueDelivery, PreparedDelivery]]] = defaultdict(deque)
        self.silent: set[str] = set()  # receivers that gave no answer in time in this pass
        self.attempts = 0
        self.look_at = 0.0

    def run(self) -> int:
        first = self._claim(self.kind.at_once)
        if not first:
            return 0
        until = monotonic() + PATIENCE_S
        self.silent = self._known_slow() if self.queue is _QUICK else set()
        with ParallelCalls(concurrency=self.kind.at_once, client=self.adapter.client) as calls:
            self._prepare(first)
            while True:
                if monotonic() < until:
                    self._look()
                    self._begin(calls)
                if not self.open:
                    break
                self._store(calls, calls.collect(timeout=0.1))
        self.queue.table.release(token=self.token, now=self.now())  # what was not begun
        return self.attempts

    def _claim(self, limit: int) -> list[DueDelivery]:
        rows = self.queue.table.claim(token=self.token, limit=limit, now=self.now(), kind=self.kind.name)
        return [DueDelivery(id=row[0], subject_id=row[1], event=row[2], attempts=row[3]) for row in rows]

    def _look(self) -> None:
        room = self.kind.at_once - len(self.open) - sum(map(len, self.waiting.values()))
        if room > 0 and monotonic() >= self.look_at:
            due = self._claim(room)
            self._prepare(due)
            self.look_at = 0.0 if due else monotonic() + LOOK_S

    def _prepare(self, due: Sequence[DueDelivery]) -> None:
        behind: list[uuid.UUID] = []
        for one, prepared in zip(due, self._bodies(due), strict=True):
            if isinstance(prepared, DeliveryOutcome):
                self.attempts += 1
                self._write_down(one, prepared)
            elif prepared.receiver in self.silent:
                behind.append(one.id)
            else:
                self.waiting[prepared.receiver].append((one, prepared))
        self._put_off(behind)

    def _bodies(self, due: Sequence[DueDelivery]) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """Prepare the due deliveries. Where one of them breaks the adapter, each is prepared alone and the bad one
        fails alone."""
        try:
            return self.adapter.prepare(due, self.now) if due else ()
        except Exception as error:
            failed = DeliveryOutcome(delivered=False, error=row_error(error).message)
            return [failed] if len(due) == 1 else [body for delivery in due for body in self._bodies([delivery])]

    def _begin(self, calls: ParallelCalls) -> None:
        for receiver, line in self.waiting.items():
            under_way = sum(1 for _, other in self.open.values() if other == receiver)
            for _ in range(min(self.kind.per_receiver - under_way, len(line))):
                one, prepared = line.popleft()
                self.open[one.id] = (one, receiver)
                calls.submit(one.id, partial(_attempt, prepared, self.queue.within_s()))

    def _store(self, calls: ParallelCalls, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            one, receiver = self.open.pop(uuid.UUID(str(delivery.key)))
            outcome: DeliveryOutcome = delivery.value
            if isinstance(delivery.error, Exception):  # of this one alone: its neighbours are sent
                outcome = DeliveryOutcome(delivered=False, error=row_error(delivery.error).message)
            elif delivery.error is not None:
                raise delivery.error
            self.attempts += 1
            self._write_down(one, outcome)
            if outcome.timed_out:
                self.silent.add(receiver)
                self._put_off([waiting.id for waiting, _ in self.waiting.pop(receiver, ())])
        calls.settle([delivery.key for delivery in deliveries])

    def _write_down(self, delivery: DueDelivery, outcome: DeliveryOutcome) -> None:
        now = self.now()
        with transaction.atomic():
            to = _write_down(self.kind, delivery, outcome, self.token, now)
            if isinstance(self.adapter, RecordsOutcomes):
                self.adapter.record(delivery, outcome, waits=to is DeliveryStatus.PENDING, now=now)

    def _put_off(self, ids: Sequence[uuid.UUID]) -> None:
        """Leave these to the patient queue; no attempt was made."""
        if ids:
            mine = OutboundDelivery.objects.filter(pk__in=ids, lease_token=self.token)
            due = self.now() + self.queue.behind
            mine.update(waiting_for=SLOW, not_before=due, lease_token=None, lease_expires_at=None)

    def _known_slow(self) -> set[str]:
        """Receivers that the patient queue is waiting to reach. One query where there are none. It only looks: what an
        adapter writes down of an attempt that begins is taken back."""
        rows = OutboundDelivery.objects.filter(kind=self.kind.name, status=DeliveryStatus.PENDING, waiting_for=SLOW)
        known = [
            DueDelivery(id=row.pk, subject_id=row.subject_id, event=row.event, attempts=row.attempts)
            for row in rows.order_by("not_before", "pk")[: self.kind.at_once]
        ]
        with transaction.atomic():
            prepared = self._bodies(known)
            transaction.set_rollback(True)
        return {one.receiver for one in prepared if isinstance(one, PreparedDelivery)}


async def _attempt(prepared: PreparedDelivery, within_s: float, client: Any, emit: Any) -> DeliveryOutcome:
    return await prepared.send(client, within_s)


def _write_down(
    kind: DeliveryKind, delivery: DueDelivery, outcome: DeliveryOutcome, token: uuid.UUID, now: datetime
) -> DeliveryStatus:
    fields: dict[str, Any] = {
        "attempts": F("attempts") + 1,
        "lease_token": None,
        "lease_expires_at": None,
        "waiting_for": SLOW if outcome.timed_out else "",
        "last_attempt_at": now,
        "last_status": outcome.status,
        "last_error": outcome.error[:300],
    }
    to = _state_after(kind, delivery, outcome, now, fields)
    leased: StateQuerySet[OutboundDelivery] = StateQuerySet(OutboundDelivery).filter(lease_token=token)
    leased.advance(delivery.id, expected=DeliveryStatus.PENDING, to=to, **fields)
    event = kind.sent if outcome.delivered else kind.failed
    named: dict[str, Any] = {kind.name: str(delivery.id)}
    log_event(event, status=outcome.status, attempt=delivery.attempts + 1, state=str(to), **named)
    return to


def _state_after(
    kind: DeliveryKind, delivery: DueDelivery, outcome: DeliveryOutcome, now: datetime, fields: dict[str, Any]
) -> DeliveryStatus:
    if outcome.delivered:
        fields["delivered_at"] = now
        return DeliveryStatus.DELIVERED
    if outcome.gone:
        return DeliveryStatus.GONE
    if outcome.refused:
        return DeliveryStatus.REFUSED
    due = next_attempt(
        failed=delivery.attempts + 1,
        now=now,
        retry_after_s=outcome.retry_after_s,
        spread=(delivery.id.int % 1000) / 1000,
        delays_s=kind.delays_s,
    )
    if due is None:
        return DeliveryStatus.FAILED
    fields["not_before"] = due
    return DeliveryStatus.PENDING
