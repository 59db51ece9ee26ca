"""Conversations and ratings out of a team's own Langfuse, every few minutes.

A window of time is read whole, or a shorter one is: half of it where there is more than is read at once, or where the
time is over. `polled_until` moves to the end of what was read, so that reading always goes on.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db.models import Q

from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.reader import LangfuseReader, TooMuchToRead
from apps.connectors.tracing.langfuse.server import server_version
from apps.connectors.tracing.langfuse.window import LangfuseWindow, read_window
from apps.core.document_parsing import utterance_as_json
from apps.core.encryption import EncryptionError
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.core.plurals import many
from apps.production.exports.domain.exported_spans import OWN_ENVIRONMENT
from apps.production.intake.domain.posted_document import LANGFUSE
from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.feedback import change_feedback
from apps.production.langfuse.models import LangfuseSource
from apps.production.langfuse.services.connection import address_of
from apps.production.langfuse.services.prompts import read_prompts
from apps.production.services.outbound_policies import langfuse_policy

EVERY = timedelta(minutes=5)
OVERLAP = timedelta(minutes=30)  # reads of a Langfuse may lag by ten minutes, and scores come before their traces
FIRST = timedelta(hours=24)  # how far back the first window looks
SHORTEST = timedelta(seconds=10)  # of this window as much is read as may be
MAX_WAIT = timedelta(hours=1)  # whatever the server asks for
POLL_S = 120.0  # for one source, in all
TURN_S = 240.0  # then no further source is begun: other tenants wait


@dataclass(frozen=True, slots=True, kw_only=True)
class _WindowReading:
    window: LangfuseWindow
    until: datetime
    version: str


class _TooSlow(Exception):
    """The time was over while this window was being read."""

    def __init__(self, length: timedelta) -> None:
        super().__init__()
        self.length = length


def poll_sources(*, now: Callable[[], datetime]) -> int:
    """Read every due Langfuse source of this tenant; return how many windows were read.
    A project that does not answer is tried again five minutes later, with the same window and longer. Safe to repeat
    and to race. Outside any transaction; POLL_S a window, and none is begun after TURN_S."""
    at, read, until = now(), 0, monotonic() + TURN_S
    for source in list(LangfuseSource.objects.filter(_due(at), enabled=True).order_by("not_before")):
        claim = LangfuseSource.objects.filter(_due(at), pk=source.pk, enabled=True)
        while monotonic() < until and claim.update(not_before=at + EVERY):  # due again at once where more is to be read
            source.refresh_from_db()
            read += _poll(source, at)
    return read


def _due(at: datetime) -> Q:
    return Q(not_before__isnull=True) | Q(not_before__lte=at)


def _poll(source: LangfuseSource, at: datetime) -> bool:
    since = _since(source, at)
    length = min(at - since, timedelta(seconds=source.window_s)) if source.window_s else at - since
    try:
        reading = asyncio.run(_read(address_of(source), source.environment, since, length))
    except (ConnectorError, EncryptionError, _TooSlow) as error:
        _note(source, **_failure(error, since, at))
        return False
    refused = _store(reading.window, at) + reading.window.too_large
    behind = reading.until < at
    unread = [] if behind else read_prompts(source)
    notes = [f"{many(refused, 'conversation')} cannot be taken in"] if refused else []
    if reading.window.left_out:
        notes.append(f"{many(reading.window.left_out, 'conversation')} within {SHORTEST.seconds} s were left out")
    if behind:
        notes.append(f"there is much to read: it is read as far as {reading.until:%Y-%m-%d %H:%M} UTC, and goes on")
    notes += unread
    changes: dict[str, Any] = {"window_s": None}
    if behind:  # the next window may be longer again, and is read at once
        changes = {"window_s": 2 * max(1, int((reading.until - since).total_seconds())), "not_before": at}
    _note(source, last_error="; ".join(notes), polled_until=reading.until, server_version=reading.version, **changes)
    return True


def _since(source: LangfuseSource, at: datetime) -> datetime:
    """Return where to read on: at the end of the last window, or earlier.

    It is the end where the window was one of several; else late traces are read again, too.
    """
    if source.polled_until is None:
        return at - FIRST
    return source.polled_until if source.window_s else min(source.polled_until, at - OVERLAP)


def _note(source: LangfuseSource, *, last_error: str, **fields: Any) -> None:
    LangfuseSource.objects.filter(pk=source.pk).update(last_error=last_error[:300], **fields)


def _failure(error: ConnectorError | EncryptionError | _TooSlow, since: datetime, at: datetime) -> dict[str, Any]:
    if isinstance(error, _TooSlow):
        shorter = max(1, int(error.length.total_seconds() / 2))
        why = f"not read within {POLL_S:g} s: a shorter window is tried next"
        return {"last_error": why, "window_s": shorter, "polled_until": since}
    if isinstance(error, RateLimited):
        wait = min(max(timedelta(seconds=error.retry_after), EVERY), MAX_WAIT)
        return {"last_error": error.message, "not_before": at + wait}
    return {"last_error": error.message}


async def _read(address: LangfuseAddress, environment: str, since: datetime, length: timedelta) -> _WindowReading:
    """Read the window, or its beginning where it holds too much. Raises a ConnectorError and _TooSlow."""
    from apps.connectors.outbound import outbound_client  # noqa: PLC0415 - 0.2 s of every process that polls nothing

    try:
        async with asyncio.timeout(POLL_S), outbound_client(langfuse_policy()) as client:
            version = await server_version(client, address)
            while True:
                shortest = length <= SHORTEST
                try:
                    window = await read_window(
                        LangfuseReader(address),
                        client,
                        since=since,
                        until=since + length,
                        environment=environment,
                        without=OWN_ENVIRONMENT,
                        shortest=shortest,
                    )
                except TooMuchToRead:
                    if shortest:
                        raise
                    length /= 2
                else:
                    return _WindowReading(window=window, until=since + length, version=version)
    except TimeoutError:
        raise _TooSlow(length) from None


def _store(window: LangfuseWindow, now: datetime) -> int:
    """Store the sessions of a window; return how many conversations were refused.

    One that is settled is none of them: the windows overlap.
    """
    refused = 0
    for session in window.sessions:
        document = {"id": session.id, "source": LANGFUSE, "turns": [utterance_as_json(turn) for turn in session.turns]}
        try:
            take_conversation(raw=document, now=now, rewritten_by=LANGFUSE)
        except (BadInput, Conflict) as error:
            if error.code not in ("conversation_settled", "conversation_deleted"):
                refused += 1
                log_event(EventType.REQUEST_REFUSED, code=error.code, source=LANGFUSE)
    for rating in window.ratings:
        body = {
            "id": f"langfuse {rating.id}"[:200],
            "conversation_id": rating.conversation_id[:200],
            "rating": "up" if rating.up else "down",
            "comment": rating.comment[:4000],
            "channel": LANGFUSE,
        }
        if rating.given_at is not None:
            body["ts"] = rating.given_at.isoformat()
        try:
            change_feedback(body=body, now=now)
        except NotFound:
            continue  # its conversation may still come: the next window holds it again
        except (BadInput, Conflict) as error:
            log_event(EventType.REQUEST_REFUSED, code=error.code, source=LANGFUSE)
    return refused
