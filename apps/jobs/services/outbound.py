"""The outbox: what a delivery, its adapter and its outcome are; sending them is apps.jobs.services.delivering.

A row holds kind, subject and event, never a text: its adapter builds the body when it is sent. A new kind is one
adapter and one line that registers it (apps.jobs.deliveries).
"""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from django.db.models import Q

from apps.core.errors import Conflict, NotFound
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.domain.delivery_states import DeliveryStatus
from apps.jobs.models import OutboundDelivery

if TYPE_CHECKING:
    import httpx  # 0.2 s of every command that sends nothing

    from apps.connectors.callbacks import CallbackOutcome

SLOW = "a slow receiver"  # `waiting_for` of what the patient queue sends
LEASE = timedelta(seconds=60)  # a pass takes 20 s at most


@dataclass(frozen=True, slots=True, kw_only=True)
class DueDelivery:
    """One delivery taken for an attempt, as plain data. `id` is the same for every attempt of this event."""

    id: uuid.UUID
    subject_id: uuid.UUID
    event: str
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDelivery:
    """A delivery with its body, as plain data. `receiver` is whom it goes to: deliveries to one share a bound. `send`
    makes one attempt within so many seconds; it raises for nothing that a receiver or the network does."""

    receiver: str
    send: "Callable[[httpx.AsyncClient, float], Awaitable[DeliveryOutcome]]"


class DeliveryAdapter(Protocol):
    """One kind of delivery."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """Read (and mask) what is sent, in the order of `due`; an outcome for what cannot be sent.

        Runs in the thread that owns the database connection, outside a transaction.
        """
        ...

    def client(self) -> "httpx.AsyncClient":
        """Return the HTTP client that all deliveries of this kind share; it guards addresses."""
        ...


@runtime_checkable
class RecordsOutcomes(Protocol):
    """An adapter whose rows say more of an attempt than the outbox does: which id the receiver gave, what is to be
    forgotten."""

    def record(self, delivery: DueDelivery, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> None:
        """Write down what became of an attempt, in the transaction that ends it; `waits`: another one follows."""
        ...


def outcome_of(post: "CallbackOutcome") -> DeliveryOutcome:
    """The delivery outcome of a signed POST."""
    return DeliveryOutcome(**asdict(post))


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
