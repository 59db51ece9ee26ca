"""Callbacks: one row per event of an evaluation, written by pulling, delivered by lease, with one id for ever."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, Value
from django.db.models.functions import Concat

from apps.api.domain.schedule import next_attempt
from apps.api.domain.states import CallbackStatus
from apps.api.models import Callback
from apps.api.queries.keys import live_webhook_keys
from apps.api.services.intake import callback_policy
from apps.connectors.callbacks import CallbackOutcome, post_callback
from apps.connectors.outbound import outbound_client
from apps.core.digest import canonical_json
from apps.core.errors import Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.core.models import StateQuerySet
from apps.core.timestamps import format_timestamp
from apps.evaluations.domain.states import EVALUATION_TERMINAL
from apps.evaluations.models import Evaluation
from apps.evaluations.queries.results import evaluation_summary

AT_ONCE = 50
LEASE = timedelta(seconds=60)  # an attempt takes 15 s at most
TOLD = ("id", "test_run_id", "evaluator_config", "status", "triggered_by", "counts", "weighted_score", "pass_rate")
NO_KEY = "there is no webhook key to sign with: add_webhook_key"

_CLAIM = """
UPDATE api_callback SET lease_expires_at = %(until)s WHERE id IN (
  SELECT id FROM api_callback
  WHERE status = 'pending' AND not_before <= %(now)s AND (lease_expires_at IS NULL OR lease_expires_at < %(now)s)
  ORDER BY not_before LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
RETURNING id, webhook_id, url, body, attempts
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """One callback taken for an attempt, as plain data."""

    id: uuid.UUID
    webhook_id: str
    url: str
    body: str
    attempts: int


def owe_callbacks(*, now: datetime) -> int:
    """Write the row of every event that was asked for and has none; returns how many. Safe to repeat and to race.

    An event is the way an evaluation ended: evaluation.completed, .failed, .timeout or .cancelled. One that is taken up
    again and ends otherwise is another event. One query, and some seven per evaluation that ended.
    """
    told = Callback.objects.filter(evaluation=OuterRef("pk"), event=Concat(Value("evaluation."), OuterRef("status")))
    ended = Evaluation.objects.filter(~Q(callback_url=""), ~Exists(told), status__in=EVALUATION_TERMINAL)
    rows = [_callback(evaluation, now) for evaluation in ended.only("id", "callback_url", "ended_at")[:AT_ONCE]]
    return len(Callback.objects.bulk_create(rows, ignore_conflicts=True))


def _callback(evaluation: Evaluation, now: datetime) -> Callback:
    found = evaluation_summary(evaluation.id)
    event = f"evaluation.{found['status']}"
    payload = {
        "type": event,
        "timestamp": format_timestamp(evaluation.ended_at or now),
        "data": {name: found[name] for name in TOLD},
    }
    return Callback(
        evaluation_id=evaluation.id,
        event=event,
        webhook_id=f"msg_{uuid.uuid4().hex}",
        url=evaluation.callback_url,
        body=canonical_json(payload),
        not_before=now,
    )


def send_owed(*, now: Callable[[], datetime]) -> int:
    """Send every callback that is due; returns how many attempts were made. Safe to repeat and to race.

    Each attempt is one request of 15 s at most, 50 at a time, outside any transaction. Success is 2xx alone.
    """
    made = 0
    while owed := _claim(now()):
        secrets = [key.secret.reveal() for key in live_webhook_keys(now=now())]
        outcomes = asyncio.run(_send(owed, secrets, now)) if secrets else [_unsigned() for _ in owed]
        for one, outcome in zip(owed, outcomes, strict=True):
            _write_down(one, outcome, now())
        made += len(owed)
    return made


def send_again(*, callback_id: uuid.UUID, now: datetime) -> None:
    """A person wants it sent again, whatever became of it: due now, with its schedule from the start and the same id.

    Raises NotFound, and Conflict while it is on its way. Safe to repeat.
    """
    rows = Callback.objects.filter(pk=callback_id)
    free = rows.filter(Q(lease_expires_at__isnull=True) | Q(lease_expires_at__lt=now))
    if not free.update(status=CallbackStatus.PENDING, attempts=0, not_before=now, delivered_at=None):
        if not rows.exists():
            raise NotFound(f"There is no callback {callback_id}.")
        raise Conflict("It is being sent at this moment.", code="in_progress")


def _claim(now: datetime) -> list[Owed]:
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, {"now": now, "until": now + LEASE, "limit": AT_ONCE})
        return [
            Owed(id=row[0], webhook_id=row[1], url=row[2], body=row[3], attempts=row[4]) for row in cursor.fetchall()
        ]


async def _send(owed: Sequence[Owed], secrets: Sequence[str], now: Callable[[], datetime]) -> list[CallbackOutcome]:
    async with outbound_client(callback_policy()) as client:
        return await asyncio.gather(
            *(post_callback(one.url, one.webhook_id, one.body.encode(), secrets, client, now()) for one in owed)
        )


def _unsigned() -> CallbackOutcome:
    return CallbackOutcome(delivered=False, error=NO_KEY)


def _write_down(one: Owed, outcome: CallbackOutcome, now: datetime) -> None:
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


def _state_after(one: Owed, outcome: CallbackOutcome, now: datetime, fields: dict[str, Any]) -> CallbackStatus:
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
