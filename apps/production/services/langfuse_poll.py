"""Conversations and ratings out of a team's own Langfuse, every few minutes."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from apps.connectors.errors import ConnectorError
from apps.connectors.tracing.langfuse import LangfuseAddress, LangfuseReader
from apps.connectors.tracing.langfuse_window import LangfuseWindow, read_window
from apps.core.document_parsing import utterance_as_json
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.production.domain.exported_spans import OWN_ENVIRONMENT
from apps.production.models import LangfuseSource
from apps.production.services.feedback import take_feedback
from apps.production.services.intake import take_conversation
from apps.production.services.outbound_policies import langfuse_policy

SOURCE = "langfuse"
EVERY = timedelta(minutes=5)
OVERLAP = timedelta(minutes=30)  # reads of a Langfuse may lag by ten minutes, and scores come before their traces
FIRST = timedelta(hours=24)  # how far back the first window looks


def poll_sources(*, now: Callable[[], datetime]) -> int:
    """Read every Langfuse of this tenant that is due; how many were read. A project that does not answer is tried again
    five minutes later, with the same window and longer. Safe to repeat and to race. Outside any transaction."""
    at, read = now(), 0
    for source in list(LangfuseSource.objects.filter(_due(at), enabled=True)):
        if LangfuseSource.objects.filter(_due(at), pk=source.pk).update(not_before=at + EVERY):
            read += _poll(source, at)
    return read


def _due(at: datetime) -> Q:
    return Q(not_before__isnull=True) | Q(not_before__lte=at)


def _poll(source: LangfuseSource, at: datetime) -> bool:
    since = source.polled_until - OVERLAP if source.polled_until else at - FIRST
    try:
        window = asyncio.run(_read(source, since, at))
    except ConnectorError as error:
        LangfuseSource.objects.filter(pk=source.pk).update(last_error=error.message[:300])
        return False
    refused = _store(window, at)
    notes = [f"{refused} conversations cannot be taken in"] if refused else []
    notes += [] if window.whole else ["more conversations than are read at once: the window is read again"]
    changes: dict[str, Any] = {"polled_until": at} if window.whole else {}
    LangfuseSource.objects.filter(pk=source.pk).update(last_error="; ".join(notes), **changes)
    return True


async def _read(source: LangfuseSource, since: datetime, until: datetime) -> LangfuseWindow:
    from apps.connectors.outbound import outbound_client  # noqa: PLC0415 - 0.2 s of every process that polls nothing

    address = LangfuseAddress(
        base_url=source.base_url, public_key=source.public_key, secret_key=source.secret_key.reveal()
    )
    async with outbound_client(langfuse_policy()) as client:
        return await read_window(
            LangfuseReader(address), client, since=since, until=until, environment=source.environment,
            without=OWN_ENVIRONMENT,
        )  # fmt: skip


def _store(window: LangfuseWindow, now: datetime) -> int:
    """How many conversations were refused; one that is settled is none of them: the windows overlap."""
    refused = 0
    for session in window.sessions:
        document = {"id": session.id, "source": SOURCE, "turns": [utterance_as_json(one) for one in session.turns]}
        try:
            take_conversation(raw=document, now=now, rewritten_by=SOURCE)
        except (BadInput, Conflict) as error:
            if error.code not in ("conversation_settled", "conversation_deleted"):
                refused += 1
                log_event(EventType.REQUEST_REFUSED, code=error.code, source=SOURCE)
    for rating in window.ratings:
        body = {
            "id": f"langfuse {rating.id}"[:200], "conversation_id": rating.conversation_id[:200],
            "rating": "up" if rating.up else "down", "comment": rating.comment[:4000], "channel": SOURCE,
        }  # fmt: skip
        if rating.given_at is not None:
            body["ts"] = rating.given_at.isoformat()
        try:
            take_feedback(body=body, now=now)
        except NotFound:
            continue  # its conversation may still come: the next window holds it again
        except BadInput as error:
            log_event(EventType.REQUEST_REFUSED, code=error.code, source=SOURCE)
    return refused
