"""Real customers' conversations: how many came in, their ratings, and how many are still held."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import OuterRef, Subquery

from apps.core.conversation import TurnRole
from apps.production.conversations.domain.ratings import Rating
from apps.production.conversations.models import Feedback, ProductionConversation, Promotion
from apps.runs.models import Turn

DAYS = 14
WEEK = timedelta(days=7)
NEGATIVE, LINES = 10, 40

# Of the last DAYS: how many came in, by agent and day (UTC), and how many of them are over.
_INTAKE = """
SELECT coalesce(a.name, ''), (p.created_at AT TIME ZONE 'UTC')::date, count(*), count(p.settled_at)
FROM production_productionconversation p JOIN runs_conversation c ON c.id = p.conversation_id
JOIN runs_testrun r ON r.id = c.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
WHERE p.created_at >= %(since)s GROUP BY 1, 2 ORDER BY 2, 1
"""
_RATINGS = """
WITH rated AS (
  SELECT f.conversation_id, count(*) FILTER (WHERE f.rating = 'up') AS up,
    count(*) FILTER (WHERE f.rating = 'down') AS down, count(*) FILTER (WHERE f.comment <> '') AS comments
  FROM production_feedback f GROUP BY 1
)
SELECT p.prompt_version, p.channel, count(*), coalesce(sum(r.up), 0)::int, coalesce(sum(r.down), 0)::int,
  coalesce(sum(r.comments), 0)::int
FROM production_productionconversation p LEFT JOIN rated r ON r.conversation_id = p.conversation_id
WHERE p.created_at >= %(since)s GROUP BY 1, 2 ORDER BY 5 DESC, 3 DESC, 1, 2 LIMIT %(lines)s
"""
_HELD = """
SELECT count(*), count(*) FILTER (WHERE deleted_at IS NULL), count(*) FILTER (WHERE settled_at IS NULL),
  count(*) FILTER (WHERE deleted_at IS NULL AND keep_until <= %(now)s),
  min(created_at) FILTER (WHERE deleted_at IS NULL)
FROM production_productionconversation
"""
_WEEK = """
SELECT count(*) FILTER (WHERE rating = 'up'), count(*) FILTER (WHERE rating = 'down'),
  count(*) FILTER (WHERE comment <> '') FROM production_feedback WHERE given_at >= %(since)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIntake:
    """One agent's conversations of the last DAYS; `name` is "" where nobody said whose they are."""

    name: str
    by_day: Mapping[date, int]
    total: int
    settled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedGroup:
    """The ratings of the conversations of one prompt version on one channel."""

    prompt_version: str
    channel: str
    conversations: int
    up: int
    down: int
    comments: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldConversations:
    """The conversations that are stored.

    `ever` came in, `held` of them still with their words, `open` ones take more turns, `overdue` should be deleted by
    now; `oldest` is when the first of those that are held came.
    """

    ever: int
    held: int
    open: int
    overdue: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NegativeConversation:
    """One that got a thumbs-down: what the customer said first, the newest comment, and what became of it."""

    conversation: uuid.UUID
    said: str
    comment: str
    channel: str
    given_at: datetime
    ended: bool
    promotion: Promotion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekRatings:
    """The ratings of the last seven days."""

    up: int
    down: int
    comments: int


def agent_intakes(*, now: datetime) -> list[AgentIntake]:
    """Return what came in for each agent, those with most first. One query."""
    by_agent: dict[str, list[tuple[date, int, int]]] = {}
    for name, day, count, settled in _rows(_INTAKE, since=now - timedelta(days=DAYS)):
        by_agent.setdefault(name, []).append((day, count, settled))
    intakes = [
        AgentIntake(
            name=name,
            by_day={day: count for day, count, _ in days},
            total=sum(count for _, count, _ in days),
            settled=sum(settled for *_, settled in days),
        )
        for name, days in by_agent.items()
    ]
    return sorted(intakes, key=lambda intake: (-intake.total, intake.name))


def rated_groups(*, now: datetime) -> list[RatedGroup]:
    """The ratings of the conversations of the last DAYS, most thumbs-down first, LINES at most. One query."""
    rows = _rows(_RATINGS, since=now - timedelta(days=DAYS), lines=LINES)
    return [
        RatedGroup(prompt_version=prompt, channel=channel, conversations=count, up=up, down=down, comments=comments)
        for prompt, channel, count, up, down, comments in rows
    ]


def held_conversations(*, now: datetime) -> HeldConversations:
    """Return how many conversations are held. One query."""
    ((ever, held, open_, overdue, oldest),) = _rows(_HELD, now=now)
    return HeldConversations(ever=ever, held=held, open=open_, overdue=overdue, oldest=oldest)


def week_ratings(*, now: datetime) -> WeekRatings:
    """Return the ratings of the last week. One query."""
    ((up, down, comments),) = _rows(_WEEK, since=now - WEEK)
    return WeekRatings(up=up, down=down, comments=comments)


def negative_conversations() -> list[NegativeConversation]:
    """The NEGATIVE latest that still have their words, each once. One query."""
    feedback = Feedback.objects.filter(conversation=OuterRef("conversation")).order_by("-given_at", "-pk")
    down = feedback.filter(rating=Rating.DOWN)
    first = Turn.objects.last_attempt().filter(conversation=OuterRef("conversation"), role=TurnRole.USER)
    rows: Any = (
        ProductionConversation.objects.filter(deleted_at__isnull=True)
        .annotate(
            given_at=Subquery(down.values("given_at")[:1]),
            comment=Subquery(feedback.exclude(comment="").values("comment")[:1]),
            said=Subquery(first.exclude(content="").order_by("position").values("content")[:1]),
        )
        .filter(given_at__isnull=False)
        .select_related("conversation__promotion__scenario")
        .defer("people", "person_digests", "name_digests", "turn_digests")
        .order_by("-given_at", "-pk")[:NEGATIVE]
    )
    return [
        NegativeConversation(
            conversation=row.conversation_id,
            said=row.said or row.external_id,
            comment=row.comment or "",
            channel=row.channel,
            given_at=row.given_at,
            ended=row.settled_at is not None,
            promotion=getattr(row.conversation, "promotion", None),
        )
        for row in rows
    ]


def feedback_of(conversation_id: uuid.UUID) -> Sequence[Feedback]:
    """The feedback on one conversation, the newest first; 50 at most. One query."""
    return list(Feedback.objects.filter(conversation_id=conversation_id).order_by("-given_at", "-pk")[:50])


def thumbs_of_conversations(conversations: Collection[uuid.UUID]) -> dict[uuid.UUID, list[bool]]:
    """Return the thumbs of each conversation that got any, in their order: True is up, False is down. One query."""
    thumbs: dict[uuid.UUID, list[bool]] = {}
    rows = Feedback.objects.filter(conversation__in=list(conversations), rating__in=(Rating.UP, Rating.DOWN))
    for conversation, rating in rows.order_by("given_at").values_list("conversation_id", "rating"):
        thumbs.setdefault(conversation, []).append(rating == Rating.UP)
    return thumbs


def _rows(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
