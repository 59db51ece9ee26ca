"""How the agent that was judged last has been doing: its latest evaluations, in one query."""

import json
from dataclasses import dataclass

from django.db import connection

from apps.core.subject import words_of
from apps.dashboard.domain.trend import Trend, TrendPoint, trend
from apps.statistics.quantiles import mean_interval

LATEST = 12

# What was summed when a large evaluation ended is read from there (evaluations.queries.sums); others are summed now.
_POINTS = """
WITH latest AS (
  SELECT e.id, e.created_at, e.config_ref, e.sums, e.snapshot, r.name, t.agent, e.subject FROM evaluations_evaluation e
  JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  CROSS JOIN LATERAL (SELECT coalesce(nullif(e.subject->>'agent', ''), a.name) AS agent) t
  WHERE e.status = 'completed' AND t.agent = (
    SELECT coalesce(nullif(ee.subject->>'agent', ''), aa.name) FROM evaluations_evaluation ee
    JOIN runs_testrun rr ON rr.id = ee.run_id LEFT JOIN catalog_agent aa ON aa.id = rr.agent_id
    WHERE ee.status = 'completed' AND coalesce(nullif(ee.subject->>'agent', ''), aa.name) IS NOT NULL
    ORDER BY ee.created_at DESC LIMIT 1)
  ORDER BY e.created_at DESC LIMIT %s
)
SELECT l.id, l.created_at, l.config_ref, l.name, l.agent, h.n, h.mean, h.deviation, h.print,
  (SELECT sum((c->>'pass_mark')::float8 * (c->>'weight')::float8) / nullif(sum((c->>'weight')::float8), 0)
   FROM jsonb_array_elements(l.snapshot->'criteria') c), l.subject::text
FROM latest l CROSS JOIN LATERAL (
  SELECT (l.sums->'headline'->>0)::bigint AS n, (l.sums->'headline'->>1)::float8 AS mean,
    (l.sums->'headline'->>2)::float8 AS deviation, l.sums->'headline'->>4 AS print
  WHERE l.sums IS NOT NULL
  UNION ALL
  SELECT count(*), avg(j.weighted_score), stddev_samp(j.weighted_score), mode() WITHIN GROUP (ORDER BY j.fingerprint)
  FROM evaluations_judgement j
  WHERE l.sums IS NULL AND j.evaluation_id = l.id AND j.status = 'scored' AND j.weighted_score IS NOT NULL
    AND (NOT j.by_fallback OR coalesce((l.snapshot->'parameters'->>'allow_fallback_in_mean')::boolean, false))
  ORDER BY 1 DESC LIMIT 1) h
WHERE h.n > 0 ORDER BY l.created_at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTrend:
    agent: str
    drawing: Trend
    count: int


def agent_trend() -> AgentTrend | None:
    """The last evaluations of the agent that was judged last; None while there are not two of them. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_POINTS, [LATEST])
        rows = cursor.fetchall()
    points = []
    for pk, at, config, run, _, n, mean, deviation, fingerprint, _, subject in rows:
        known = deviation is not None and n > 1
        interval = mean_interval(mean, deviation, n, low=0.0, high=10.0) if known else None
        points.append(
            TrendPoint(
                id=pk,
                name=words_of(json.loads(subject)) or run or config,
                at=at,
                score=mean,
                interval=interval,
                judge=f"{config} {fingerprint}",
                config=config,
            )
        )
    mark = next((row[9] for row in reversed(rows) if row[9] is not None), 6.0)
    drawing = trend(points, mark=mark)
    return AgentTrend(agent=rows[-1][4], drawing=drawing, count=len(points)) if drawing else None
