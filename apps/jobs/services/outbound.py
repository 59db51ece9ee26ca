"""The outbox: deliveries that are due are leased, handed to the adapter of their kind, and written down.

A row holds kind, subject and event, never a text: its adapter builds the body when it is sent. A new kind is one
adapter and one line that registers it.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.db.models import F, Q
from django.utils.module_loading import import_string

from apps.core.errors import Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.core.models import StateQuerySet, new_id
from apps.jobs.adapters import adapters
from apps.jobs.domain.delivery_schedule import next_attempt
from apps.jobs.domain.delivery_states import DeliveryStatus
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.leases import LeasedTable

if TYPE_CHECKING:
    from apps.connectors.callbacks import CallbackOutcome  # httpx: 0.2 s of every command that sends nothing

AT_ONCE = 50
LEASE = timedelta(seconds=60)  # an attempt takes 15 s at most
PATIENCE_S = 5.0  # who has waited so long for receivers lets the other tenants have their turn
DELIVERIES = LeasedTable(
    table="jobs_outbounddelivery",
    lease=LEASE,
    pending="w.status = 'pending' AND w.kind = %(kind)s",
    order="w.not_before, w.id",
    select="SELECT id, subject_id, event, attempts FROM claimed ORDER BY not_before, id",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DueDelivery:
    """One delivery taken for an attempt, as plain data. `id` is the same for every attempt of this event."""

    id: uuid.UUID
    subject_id: uuid.UUID
    event: str
    attempts: int


# It sends some deliveries, and says of each, in their order, what became of it. Called in no transaction, by the thread
# that owns the connection: bodies are read (and masked) there first, then sent without the database, each within 15 s.
# It raises for nothing that a receiver or the network does.
DeliveryAdapter = Callable[[Sequence[DueDelivery], Callable[[], datetime]], "Sequence[CallbackOutcome]"]


def deliver_due(*, now: Callable[[], datetime]) -> int:
    """Send what is due, kind by kind; returns how many attempts were made. Safe to repeat and to race.

    AT_ONCE at a time, outside any transaction. All that is due, unless receivers were slow: after PATIENCE_S of a kind
    no more are begun, and the next tick goes on.
    """
    return sum(_deliver_kind(kind, import_string(path), now) for kind, path in adapters.items())


def _deliver_kind(kind: str, send: DeliveryAdapter, now: Callable[[], datetime]) -> int:
    attempts, began = 0, monotonic()
    while monotonic() - began < PATIENCE_S:
        token = new_id()
        due = [
            DueDelivery(id=row[0], subject_id=row[1], event=row[2], attempts=row[3])
            for row in DELIVERIES.claim(token=token, limit=AT_ONCE, now=now(), kind=kind)
        ]
        if not due:
            break
        for one, outcome in zip(due, send(due, now), strict=True):
            _write_down(one, outcome, token, now())
        attempts += len(due)
    return attempts


def deliver_again(*, delivery_id: uuid.UUID, now: datetime) -> None:
    """A person wants it sent again, whatever became of it: due now, with its schedule from the start and the same id.

    Raises NotFound, and Conflict while it is on its way. Safe to repeat.
    """
    rows = OutboundDelivery.objects.filter(pk=delivery_id)
    free = rows.filter(Q(lease_expires_at__isnull=True) | Q(lease_expires_at__lt=now))
    if not free.update(status=DeliveryStatus.PENDING, attempts=0, not_before=now, delivered_at=None):
        if not rows.exists():
            raise NotFound(f"There is no delivery {delivery_id}.")
        raise Conflict("It is being sent at this moment.", code="in_progress")


def _write_down(one: DueDelivery, outcome: "CallbackOutcome", token: uuid.UUID, now: datetime) -> None:
    fields: dict[str, Any] = {
        "attempts": F("attempts") + 1,
        "lease_token": None,
        "lease_expires_at": None,
        "last_attempt_at": now,
        "last_status": outcome.status,
        "last_error": outcome.error[:300],
    }
    to = _state_after(one, outcome, now, fields)
    leased: StateQuerySet[OutboundDelivery] = StateQuerySet(OutboundDelivery).filter(lease_token=token)
    leased.advance(one.id, expected=DeliveryStatus.PENDING, to=to, **fields)
    event = EventType.CALLBACK_SENT if outcome.delivered else EventType.CALLBACK_FAILED
    log_event(event, callback=str(one.id), status=outcome.status, attempt=one.attempts + 1, state=str(to))


def _state_after(one: DueDelivery, outcome: "CallbackOutcome", now: datetime, fields: dict[str, Any]) -> DeliveryStatus:
    if outcome.delivered:
        fields["delivered_at"] = now
        return DeliveryStatus.DELIVERED
    if outcome.gone:
        return DeliveryStatus.GONE
    if outcome.refused:
        return DeliveryStatus.REFUSED
    due = next_attempt(
        failed=one.attempts + 1, now=now, retry_after_s=outcome.retry_after_s, spread=(one.id.int % 1000) / 1000
    )
    if due is None:
        return DeliveryStatus.FAILED
    fields["not_before"] = due
    return DeliveryStatus.PENDING
