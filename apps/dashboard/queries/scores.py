"""Scores of many evaluations at once, for lists."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

_SCORES = """
SELECT e.id, count(j.id) FILTER (WHERE j.in_mean), avg(j.weighted_score) FILTER (WHERE j.in_mean),
  count(j.id), count(j.id) FILTER (WHERE j.status IN ('parse_error', 'model_error')),
  count(j.id) FILTER (WHERE j.status <> 'pending')
FROM evaluations_evaluation e LEFT JOIN LATERAL (
  SELECT jj.id, jj.status, jj.weighted_score, jj.status = 'scored' AND jj.weighted_score IS NOT NULL
    AND (NOT jj.by_fallback OR coalesce((e.snapshot->'parameters'->>'allow_fallback_in_mean')::boolean, false)
    ) AS in_mean
  FROM evaluations_judgement jj WHERE jj.evaluation_id = e.id) j ON true
WHERE e.id = ANY(%s) GROUP BY e.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One evaluation in a list. `score` is its headline mean over `in_mean` conversations, None without any."""

    in_mean: int
    score: float | None
    total: int
    errors: int
    done: int


def tallies(evaluation_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Tally]:
    """Score and counts by evaluation. One query."""
    ids = list(evaluation_ids)
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, [ids])
        return {
            row[0]: Tally(in_mean=row[1], score=row[2], total=row[3], errors=row[4], done=row[5])
            for row in cursor.fetchall()
        }
