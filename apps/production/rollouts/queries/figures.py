"""The figures of a rollout's two arms, caller by caller."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from apps.core.documents import as_json
from apps.production.rollouts.domain.rules import RULES, GuardedMetric, MetricReading, read_metric
from apps.production.rollouts.domain.states import Arm
from apps.production.rollouts.models import Rollout
from apps.statistics.sequential import ArmCell

# One row a metric, stratum and arm. A score's stratum is the caller and the judge's fingerprint: scores of different
# judges are never averaged. What a fallback model judged counts in neither arm.
_CELLS = """
WITH of AS MATERIALIZED (
  SELECT rc.conversation_id, rc.evaluation_id, rc.arm, coalesce(rc.caller::text, '') AS stratum, rc.latency_ms
  FROM production_rolloutconversation rc WHERE rc.rollout_id = %(rollout)s AND rc.arm IN ('stable', 'canary')
), value AS (
  SELECT 'score' AS metric, of.stratum || ' ' || j.fingerprint AS stratum, of.arm, j.weighted_score AS x
  FROM of JOIN evaluations_judgement j ON j.evaluation_id = of.evaluation_id AND j.conversation_id = of.conversation_id
  WHERE j.status = 'scored' AND j.weighted_score IS NOT NULL AND NOT j.by_fallback
  UNION ALL
  SELECT 'thumbs_down', of.stratum, of.arm, f.down
  FROM of JOIN LATERAL (
    SELECT max((f.rating = 'down')::int) AS down FROM production_feedback f
    WHERE f.conversation_id = of.conversation_id AND f.rating IN ('up', 'down') AND f.given_by = ''
  ) f ON f.down IS NOT NULL
  UNION ALL
  SELECT 'transfer', of.stratum, of.arm, p.transferred::int
  FROM of JOIN production_productionconversation p ON p.conversation_id = of.conversation_id
  WHERE p.transferred IS NOT NULL
  UNION ALL
  SELECT 'cost', of.stratum, of.arm, ln(p.cost_usd::float8)
  FROM of JOIN production_productionconversation p ON p.conversation_id = of.conversation_id WHERE p.cost_usd > 0
  UNION ALL
  SELECT 'latency', of.stratum, of.arm, ln(of.latency_ms) FROM of WHERE of.latency_ms > 0
)
SELECT metric, stratum, arm, count(*), sum(x)::float8, sum(x * x)::float8 FROM value GROUP BY 1, 2, 3
"""
_COUNTS = """
SELECT arm, count(*), count(evaluation_id), count(*) FILTER (WHERE caller IS NULL)
FROM production_rolloutconversation WHERE rollout_id = %(rollout)s GROUP BY 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutFigures:
    """The figures of a rollout: settled conversations by arm, and how many are sampled for judging.
    `without_caller` counts those of both arms whose customer is unknown."""

    counts: Mapping[Arm, int]
    judged: Mapping[Arm, int]
    without_caller: int
    readings: Sequence[MetricReading] = field(default_factory=tuple)

    def as_json(self) -> dict[str, Any]:
        """The figures as a look is stored and the API answers."""
        return {
            "counts": {arm.value: self.counts.get(arm, 0) for arm in Arm},
            "judged": {arm.value: self.judged.get(arm, 0) for arm in (Arm.STABLE, Arm.CANARY)},
            "without_caller": self.without_caller,
            "metrics": [as_json(reading.document()) for reading in self.readings],
        }


def rollout_figures(row: Rollout) -> RolloutFigures:
    """Return the present figures of a rollout. Two queries; some 60 ms for 60,000 conversations."""
    cells = dict[GuardedMetric, dict[str, dict[str, ArmCell]]]()
    for metric, stratum, arm, n, total, squares in _rows(_CELLS, row.pk):
        arms = cells.setdefault(GuardedMetric(metric), {}).setdefault(stratum, {})
        arms[arm] = ArmCell(n=n, total=total, squares=squares)
    readings = []
    for metric in RULES:
        strata = [
            (arms.get("stable", ArmCell()), arms.get("canary", ArmCell())) for arms in cells.get(metric, {}).values()
        ]
        margin = row.margin if metric is GuardedMetric.SCORE else None
        readings.append(read_metric(metric, strata, margin=margin))
    counted = _rows(_COUNTS, row.pk)
    compared = (Arm.STABLE, Arm.CANARY)
    return RolloutFigures(
        counts={Arm(arm): n for arm, n, _, _ in counted},
        judged={Arm(arm): judged for arm, _, judged, _ in counted},
        without_caller=sum(without for arm, _, _, without in counted if arm in compared),
        readings=readings,
    )


def _rows(statement: str, rollout_id: uuid.UUID) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"rollout": rollout_id})
        return list(cursor.fetchall())
