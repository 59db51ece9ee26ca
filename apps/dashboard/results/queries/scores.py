"""Scores of many evaluations, and conversations of many runs, at once, for lists."""

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Count, Q, Value

from apps.dashboard.domain.figures import score_text
from apps.evaluations.domain.fallback_rule import COUNTS_SQL
from apps.evaluations.figures.queries.stored_figures import STORED_SQL
from apps.evaluations.models import Evaluation
from apps.runs.domain.states import ConversationStatus
from apps.runs.goldens.domain.stuck_gates import DESYNC
from apps.runs.models import Conversation

# Of an ended evaluation its stored figures are read; of one that is judged, its judgements.
_SCORES = f"""
SELECT e.id, m.in_mean, m.score, c.total, c.errors, c.done, c.scored, e.figures_version, f.sums->>'decided',
  CASE WHEN round(m.score::numeric, 1) > m.score THEN (
    SELECT sum((k->>'pass_mark')::float8 * (k->>'weight')::float8) / nullif(sum((k->>'weight')::float8), 0)
    FROM jsonb_array_elements(e.snapshot->'criteria') k) END
FROM evaluations_evaluation e CROSS JOIN LATERAL (SELECT {STORED_SQL} AS sums) f CROSS JOIN LATERAL (
  SELECT coalesce(sum(n), 0) AS total, coalesce(sum(n) FILTER (WHERE status IN ('parse_error', 'model_error')), 0)
    AS errors, coalesce(sum(n) FILTER (WHERE status <> 'pending'), 0) AS done,
    coalesce(sum(n) FILTER (WHERE status = 'scored'), 0) AS scored
  FROM (
    SELECT key AS status, value::bigint AS n FROM jsonb_each_text(f.sums->'counts') UNION ALL
    SELECT status, count(*) FROM evaluations_judgement WHERE f.sums IS NULL AND evaluation_id = e.id GROUP BY status
  ) s) c
CROSS JOIN LATERAL (
  SELECT (f.sums->'headline'->>0)::bigint AS in_mean, (f.sums->'headline'->>1)::float8 AS score
  WHERE f.sums IS NOT NULL
  UNION ALL
  SELECT count(*), avg(j.weighted_score) FROM evaluations_judgement j
  WHERE f.sums IS NULL AND j.evaluation_id = e.id AND j.status = 'scored' AND j.weighted_score IS NOT NULL
    AND (NOT j.by_fallback OR {COUNTS_SQL})
    AND NOT EXISTS (SELECT 1 FROM runs_conversation v WHERE v.id = j.conversation_id AND v.blame = 'golden')
  HAVING f.sums IS NULL) m
WHERE e.id = ANY(%s)
"""  # noqa: S608 - put together of constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One evaluation in a list. `score` is its headline mean over `in_mean` conversations, None without any; `mark` its
    pass mark, read only where one decimal would round the score up; `version` that of its figures, and `decided` its
    decisions (DecisionCounts) where they are stored."""

    in_mean: int
    score: float | None
    total: int
    errors: int
    done: int
    scored: int
    mark: float | None = None
    version: int = field(default=0, compare=False)
    decided: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def shown(self) -> str:
        """The score, never rounded up to a mark it missed."""
        return "–" if self.score is None else score_text(self.score, self.mark)


def tallies(evaluation_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Tally]:
    """Score and counts by evaluation. One query."""
    ids = list(evaluation_ids)
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, [ids])
        return {
            row[0]: Tally(
                in_mean=row[1],
                score=row[2],
                total=int(row[3]),
                errors=int(row[4]),
                done=int(row[5]),
                scored=int(row[6]),
                version=row[7],
                decided=json.loads(row[8]) if row[8] else None,
                mark=row[9],
            )
            for row in cursor.fetchall()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedCounts:
    """The conversations of one run in a list."""

    total: int = 0
    ended: int = 0
    failed: int = 0


_FAILED = (ConversationStatus.FAILED, ConversationStatus.TIMEOUT)


def played(run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, PlayedCounts]:
    """Count by run all conversations, the ended ones and the lost ones.

    A replay that stopped where only the words differ is no loss. One query.
    """
    counts_by_run = {run_id: PlayedCounts() for run_id in run_ids}
    rows = Conversation.objects.filter(run__in=list(counts_by_run)).values_list("run_id").order_by()
    stuck = Q(status=ConversationStatus.FAILED, error_code=DESYNC, blame__isnull=True)
    ended, failed = Q(status=ConversationStatus.ENDED), Q(status__in=_FAILED) & ~stuck
    counts = rows.annotate(total=Count("*"), ended=Count(Value(1), filter=ended), failed=Count(Value(1), filter=failed))
    return counts_by_run | {
        run: PlayedCounts(total=total, ended=ended, failed=failed) for run, total, ended, failed in counts
    }


def newest_evaluations(run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, tuple[uuid.UUID, str]]:
    """The newest evaluation of each of these runs that has one, and its state. One query."""
    rows = Evaluation.objects.filter(run__in=list(run_ids)).order_by("run_id", "-created_at").distinct("run_id")
    return {run: (pk, status) for run, pk, status in rows.values_list("run_id", "pk", "status")}
