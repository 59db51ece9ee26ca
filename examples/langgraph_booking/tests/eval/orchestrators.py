"""The orchestrator that scenarios are played on: the real one, in the scenario's own schema."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx
from booking.model import ChatModel
from booking.orchestrator import BookingOrchestrator
from booking.rails import PaymentRails
from booking.store import BookingStore

NAIROBI = ZoneInfo("Africa/Nairobi")


class LoggedOrchestrator(BookingOrchestrator):
    """The orchestrator, and the event log that it wrote."""

    events: list[dict[str, Any]]


@contextmanager
def build_test_orchestrator(saver: Any, tenant_id: str, tenant: Any) -> Iterator[LoggedOrchestrator]:
    """For pytest-ratiba's `tenant_scoped_eval_environment`. What it opens is closed with the scenario."""
    events: list[dict[str, Any]] = []
    with tenant.connect() as connection, httpx.Client(timeout=30) as client:
        built = LoggedOrchestrator(
            saver,
            BookingStore(connection),
            ChatModel(client, salon="Salon Amani", today=datetime.now(NAIROBI).date()),
            PaymentRails(client),
            lambda event_type, **what: events.append({"event_type": event_type, **what}),
        )
        built.events = events
        yield built
