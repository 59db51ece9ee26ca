"""Read a window of time from a Langfuse project: whole conversations, and how customers rated them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx

from apps.connectors.tracing.langfuse.reader import LangfuseReader, TooMuchToRead
from apps.connectors.tracing.langfuse.turns import read_observations
from apps.core.conversation import Utterance
from apps.core.timestamps import parse_timestamp

SCORE = "user_feedback"
MAX_CONVERSATIONS = 500  # of one window: each costs a request


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedSession:
    """A conversation: `id` is the session's, or the trace's where it is of no session."""

    id: str
    turns: tuple[Utterance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedRating:
    """A score of a customer. `up` is False for 0 and below."""

    id: str
    conversation_id: str
    up: bool
    comment: str
    given_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LangfuseWindow:
    """Conversations and ratings of a window.

    `too_large` conversations are longer than is read at once, and `left_out` are more than a window may have.
    """

    sessions: tuple[TracedSession, ...]
    ratings: tuple[TracedRating, ...]
    too_large: int = 0
    left_out: int = 0


async def read_window(
    reader: LangfuseReader, client: httpx.AsyncClient, *, since: datetime, until: datetime, environment: str = "",
    without: str = "", shortest: bool = False,
) -> LangfuseWindow:  # fmt: skip
    """Read all that began or was rated in the window, without the environment `without`.

    One GET for each 1,000 observations and 100 scores, and one for each conversation, whose earlier turns may lie
    before it. Raises a ConnectorError: TooMuchToRead where it holds more than MAX_CONVERSATIONS or than one reader
    reads, and a shorter one shall be read; of the `shortest`, as many conversations are read as may be.
    """
    times = {"from_start_time": since, "to_start_time": until}
    named = {"environment": environment} if environment else {}
    listed = await reader.observations(client, fields="core,basic", **times, **named)
    seen = [one for one in listed if not _of(one, without)]
    conversation_of = {
        str(one.get("traceId") or ""): str(one.get("sessionId") or one.get("traceId") or "") for one in seen
    }
    sessions = {str(one["sessionId"]) for one in seen if one.get("sessionId")}
    ids = [one for one in dict.fromkeys(conversation_of.values()) if one]
    if len(ids) > MAX_CONVERSATIONS and not shortest:
        raise TooMuchToRead(f"{reader.who} has more than {MAX_CONVERSATIONS} conversations in this window")
    traced, too_large = list[TracedSession](), 0
    for id in ids[:MAX_CONVERSATIONS]:
        try:
            turns = read_observations(
                await reader.observations(client, **{"session_id" if id in sessions else "trace_id": id})
            )
        except TooMuchToRead as error:
            if error.of_all:
                raise
            too_large += 1
            continue
        if turns:
            traced.append(TracedSession(id=id, turns=turns))
    scores = await reader.scores(client, name=SCORE, since=since, until=until, **named)
    ratings = [await _rating(score, conversation_of, reader, client) for score in scores]
    return LangfuseWindow(
        sessions=tuple(traced), ratings=tuple(rating for rating in ratings if rating is not None), too_large=too_large,
        left_out=max(0, len(ids) - MAX_CONVERSATIONS),
    )  # fmt: skip


def _of(observation: Mapping[str, Any], environment: str) -> bool:
    return bool(environment) and observation.get("environment") == environment


async def _rating(
    score: Mapping[str, Any], conversation_of: dict[str, str], reader: LangfuseReader, client: httpx.AsyncClient
) -> TracedRating | None:
    """Read a rating; None for a score that rates no conversation, or has no number and no truth."""
    subject, value = score.get("subject"), score.get("value")
    if not isinstance(subject, Mapping) or not isinstance(value, int | float) or not score.get("id"):
        return None
    kind, id = subject.get("kind"), str(subject.get("id") or "")
    trace = str(subject.get("traceId") or (id if kind == "trace" else ""))
    if kind != "session" and trace and trace not in conversation_of:
        items = await reader.observations(client, trace_id=trace)
        conversation_of[trace] = next((str(item["sessionId"]) for item in items if item.get("sessionId")), trace)
    conversation = id if kind == "session" else conversation_of.get(trace, "")
    if not conversation:
        return None
    return TracedRating(
        id=str(score["id"]),
        conversation_id=conversation,
        up=value > 0,
        comment=str(score.get("comment") or ""),
        given_at=_time(score.get("timestamp")),
    )


def _time(value: Any) -> datetime | None:
    try:
        return parse_timestamp(value) if isinstance(value, str) else None
    except ValueError:
        return None
