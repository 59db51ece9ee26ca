"""Show how the agent that was judged last did in its latest evaluations."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from apps.dashboard.results.domain.changes import MeasuredAgent
from apps.dashboard.results.domain.trend import Trend, TrendPoint, trend
from apps.runs.domain.kind_traits import TREND, sql_list
from apps.statistics.quantiles import mean_interval

LATEST = 12

_KINDS = sql_list(TREND)
_LATEST = f"""
WITH latest AS (
  SELECT e.id, e.created_at, e.snapshot FROM evaluations_evaluation e
  JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  WHERE e.status = 'completed' AND r.kind IN {_KINDS} AND coalesce(nullif(e.subject->>'agent', ''), a.name) = (
    SELECT coalesce(nullif(ee.subject->>'agent', ''), aa.name) FROM evaluations_evaluation ee
    JOIN runs_testrun rr ON rr.id = ee.run_id LEFT JOIN catalog_agent aa ON aa.id = rr.agent_id
    WHERE ee.status = 'completed' AND rr.kind IN {_KINDS}
      AND coalesce(nullif(ee.subject->>'agent', ''), aa.name) IS NOT NULL
    ORDER BY ee.created_at DESC LIMIT 1)
  ORDER BY e.created_at DESC LIMIT %s
)
SELECT l.id, (SELECT sum((c->>'pass_mark')::float8 * (c->>'weight')::float8) / nullif(sum((c->>'weight')::float8), 0)
   FROM jsonb_array_elements(l.snapshot->'criteria') c)
FROM latest l ORDER BY l.created_at
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTrend:
    """A drawing and its words: whose it is, of how many of what (`noun`), and what a point is called (`point`).
    `figures`: they are folded below it."""

    agent: str
    drawing: Trend
    count: int
    noun: str = "evaluation"
    point: str = "Run"
    figures: bool = True


def latest_marks() -> dict[UUID, float | None]:
    """The last evaluations of the agent that was judged last, oldest first, with their pass marks. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, [LATEST])
        return dict(cursor.fetchall())


def agent_trend(marks: Mapping[UUID, float | None], found: Mapping[UUID, MeasuredAgent]) -> AgentTrend | None:
    """Draw these evaluations; None while there are not two of them. No query."""
    rows = [found[pk] for pk in marks if "" in found[pk].means]
    points = []
    for row in rows:
        whole = row.means[""]
        known = whole.deviation is not None and whole.cases > 1
        points.append(
            TrendPoint(
                id=row.id,
                name=row.name,
                at=row.at,
                score=whole.mean,
                interval=mean_interval(whole.mean, whole.deviation or 0.0, whole.cases, low=0.0, high=10.0)
                if known
                else None,
                judge=f"{row.config} {row.judge}",
                config=row.config,
                kind=row.kind,
            )
        )
    mark = next((one for row in reversed(rows) if (one := marks[row.id]) is not None), 6.0)
    drawing = trend(points, mark=mark)
    return AgentTrend(agent=rows[-1].agent, drawing=drawing, count=len(points)) if drawing else None
