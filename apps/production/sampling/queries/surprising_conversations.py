"""Real conversations that surprised since the last promotion: better or worse than usual, and no test yet."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from apps.catalog.personas.domain.near_duplicates import family_of
from apps.core.conversation import TurnRole
from apps.production.conversations.domain.promotion_states import SignalKind
from apps.production.conversations.models import Promotion
from apps.production.sampling.domain.surprise import RatedConversation, Surprise, surprise_of
from apps.runs.models import Turn

MOST = 10  # of one promotion, either way: a person looks at each
_USUAL = timedelta(days=28)  # over which a usual score is one
_LOOKED_AT = 500  # conversations that one promotion reads
_COMPARED = 300  # promotions that a customer's words are compared with

# What was rated, or drawn by chance and judged, since then; with what the same judge usually gives the same agent.
# Scores come first: whoever presses five hundred thumbs hides none of them.
_RATED = """
WITH usual AS (
  SELECT s.conversation_id, j.judged_at, j.weighted_score AS score, avg(j.weighted_score) OVER w AS mean,
    coalesce(stddev_samp(j.weighted_score) OVER w, 0) AS spread, count(*) OVER w AS scores
  FROM production_sampledconversation s
  JOIN evaluations_judgement j ON j.evaluation_id = s.evaluation_id AND j.conversation_id = s.conversation_id
  JOIN evaluations_evaluation e ON e.id = s.evaluation_id JOIN runs_testrun r ON r.id = e.run_id
  WHERE s.basis IN ('share', 'floor') AND j.status = 'scored' AND NOT j.by_fallback AND j.judged_at >= %(usual)s
  WINDOW w AS (PARTITION BY j.fingerprint, r.agent_id)
), rated AS (
  SELECT f.conversation_id, bool_or(f.rating = 'up') AS up, bool_or(f.rating = 'down') AS down,
    max(f.created_at) AS at FROM production_feedback f GROUP BY 1
)
SELECT p.conversation_id, coalesce(t.up, false), coalesce(t.down, false), coalesce(p.transferred, false),
  u.score, u.mean, u.spread, u.scores
FROM production_productionconversation p JOIN runs_conversation c ON c.id = p.conversation_id
LEFT JOIN rated t ON t.conversation_id = p.conversation_id
LEFT JOIN LATERAL (SELECT * FROM usual x WHERE x.conversation_id = p.conversation_id
  ORDER BY x.judged_at DESC LIMIT 1) u ON true
WHERE c.status = 'ended' AND p.deleted_at IS NULL AND NOT coalesce(t.down, false)
  AND NOT EXISTS (SELECT 1 FROM production_promotion k WHERE k.conversation_id = p.conversation_id)
  AND ((t.up AND (%(since)s::timestamptz IS NULL OR t.at >= %(since)s))
    OR (u.score IS NOT NULL AND (%(since)s::timestamptz IS NULL OR u.judged_at >= %(since)s)))
ORDER BY u.score IS NULL, coalesce(p.transferred, false) DESC, p.id DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurprisingConversations:
    """The conversations that surprise most, at most MOST, good and bad in turn.

    `more` is the number of other conversations that surprise.
    """

    chosen: Sequence[tuple[UUID, Surprise]]
    more: int


def surprising_conversations(*, since: datetime | None, now: datetime) -> SurprisingConversations:
    """Find surprising conversations rated or judged from `since` on (None: ever) that nobody promoted yet.

    Three queries, and some 3 ms for each conversation with a thumbs-up.
    """
    with connection.cursor() as cursor:
        cursor.execute(_RATED, {"since": since, "usual": now - _USUAL, "limit": _LOOKED_AT})
        rows = cursor.fetchall()
    alike = _asked_as_the_discontent([id for id, up, *_ in rows if up])
    good, bad = list[tuple[UUID, Surprise]](), list[tuple[UUID, Surprise]]()
    for id, up, down, transferred, score, mean, spread, scores in rows:
        surprise = surprise_of(
            RatedConversation(
                up=up,
                down=down,
                transferred=transferred,
                others_discontent=id in alike,
                score=score,
                mean=float(mean or 0),
                spread=float(spread or 0),
                scores=scores or 0,
            )
        )
        if surprise is not None:
            (good if surprise.kind == SignalKind.SURPRISINGLY_GOOD else bad).append((id, surprise))
    chosen = [*good[: max(MOST // 2, MOST - len(bad))], *bad[: max(MOST // 2, MOST - len(good))]]
    return SurprisingConversations(chosen=chosen, more=len(good) + len(bad) - len(chosen))


def _asked_as_the_discontent(liked: Sequence[UUID]) -> frozenset[UUID]:
    """Return those that asked in nearly the same words as a conversation that got a thumbs-down."""
    if not liked:
        return frozenset()
    rows = Promotion.objects.filter(signals__contains=[{"kind": SignalKind.THUMBS_DOWN.value}]).order_by("-id")
    discontent: dict[str, Sequence[str]] = {
        str(pk): [turn["content"] for turn in transcript if turn["role"] == "user"]
        for pk, transcript in rows.values_list("pk", "transcript")[:_COMPARED]
    }
    if not discontent:
        return frozenset()
    return frozenset(id for id, words in _customers(liked).items() if family_of(words, discontent))


def _customers(conversations: Sequence[UUID]) -> Mapping[UUID, Sequence[str]]:
    messages: dict[UUID, list[str]] = defaultdict(list)
    turns = Turn.objects.transcript().filter(conversation__in=list(conversations), role=TurnRole.USER)
    rows: Any = turns.order_by("conversation", "position").values_list("conversation_id", "content")
    for conversation, content in rows:
        messages[conversation].append(content)
    return messages
