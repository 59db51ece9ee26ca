"""Delivering callbacks: what is due is taken by lease, posted, and written down. The webhook-id never changes."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db import connection
from django.db.models import F

from apps.api.domain.schedule import next_attempt
from apps.api.domain.states import CallbackStatus
from apps.api.models import Callback
from apps.api.queries.keys import live_webhook_keys
from apps.api.services.submissions import callback_policy
from apps.connectors.callbacks import CallbackOutcome, post_callback
from apps.connectors.outbound import outbound_client
from apps.core.events import EventType, log_event
from apps.core.models import StateQuerySet

AT_ONCE = 50
LEASE = timedelta(seconds=60)  # an attempt takes 15 s at most
PATIENCE_S = 5.0  # who has waited so long for receivers lets the other tenants have their turn
NO_KEY = "there is no webhook key to sign with: add_webhook_key"

_CLAIM = """
UPDATE api_callback SET lease_expires_at = %(until)s WHERE id IN (
  SELECT id FROM api_callback
  WHERE status = 'pending' AND not_before <= %(now)s AND (lease_expires_at IS NULL OR lease_expires_at < %(now)s)
  ORDER BY not_before LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
RETURNING id, webhook_id, url, body, attempts
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCallback:
    """One callback taken for an attempt, as plain data."""

    id: uuid.UUID
    webhook_id: str
    url: str
    body: str
    attempts: int


def deliver_due(*, now: Callable[[], datetime]) -> int:
    """Send the callbacks that are due; returns how many attempts were made. Safe to repeat and to race.

    Each attempt is one request of 15 s at most, 50 at a time, outside any transaction. Success is 2xx alone. All that
    is due, unless receivers were slow: after PATIENCE_S no further fifty are begun, and the next tick goes on.
    """
    made, began = 0, monotonic()
    while monotonic() - began < PATIENCE_S and (owed := _claim(now())):
        secrets = [key.secret.reveal() for key in live_webhook_keys(now=now())]
        outcomes = asyncio.run(_send(owed, secrets, now)) if secrets else [_unsigned() for _ in owed]
        for one, outcome in zip(owed, outcomes, strict=True):
            _write_down(one, outcome, now())
        made += len(owed)
    return made


def _claim(now: datetime) -> list[DueCallback]:
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, {"now": now, "until": now + LEASE, "limit": AT_ONCE})
        return [
            DueCallback(id=row[0], webhook_id=row[1], url=row[2], body=row[3], attempts=row[4])
            for row in cursor.fetchall()
        ]


async def _send(
    owed: Sequence[DueCallback], secrets: Sequence[str], now: Callable[[], datetime]
) -> list[CallbackOutcome]:
    async with outbound_client(callback_policy()) as client:
        return await asyncio.gather(
            *(post_callback(one.url, one.webhook_id, one.body.encode(), secrets, client, now()) for one in owed)
        )


def _unsigned() -> CallbackOutcome:
    return CallbackOutcome(delivered=False, error=NO_KEY)


def _write_down(one: DueCallback, outcome: CallbackOutcome, now: datetime) -> None:
    fields: dict[str, Any] = {
        "attempts": F("attempts") + 1,
        "lease_expires_at": None,
        "last_attempt_at": now,
        "last_status": outcome.status,
        "last_error": outcome.error[:300],
    }
    to = _state_after(one, outcome, now, fields)
    StateQuerySet(Callback).advance(one.id, expected=CallbackStatus.PENDING, to=to, **fields)
    event = EventType.CALLBACK_SENT if outcome.delivered else EventType.CALLBACK_FAILED
    log_event(event, callback=str(one.id), status=outcome.status, attempt=one.attempts + 1, state=str(to))


def _state_after(one: DueCallback, outcome: CallbackOutcome, now: datetime, fields: dict[str, Any]) -> CallbackStatus:
    if outcome.delivered:
        fields["delivered_at"] = now
        return CallbackStatus.DELIVERED
    if outcome.gone:
        return CallbackStatus.GONE
    if outcome.refused:
        return CallbackStatus.REFUSED
    due = next_attempt(
        failed=one.attempts + 1, now=now, retry_after_s=outcome.retry_after_s, spread=(one.id.int % 1000) / 1000
    )
    if due is None:
        return CallbackStatus.FAILED
    fields["not_before"] = due
    return CallbackStatus.PENDING
