"""Scores of tests over time: an evaluation a point, by kind of run, agent, config, criterion, language, prompt."""

from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.core.errors import BadInput
from apps.runs.domain.kind_traits import TREND, sql_list
from apps.statistics.quantiles import mean_interval

MOST = 200  # points, the newest

# The sandwich of scenarios stands behind an evaluation's own page; here a point is quick to read: a conversation a
# case. A fallback's scores, and conversations whose golden session was wrong, are in no trend.
_POINTS = f"""
WITH chosen AS (
  SELECT e.id, e.created_at, e.config_ref, r.kind, r.name,
    coalesce(nullif(e.subject->>'agent', ''), a.name, '') AS agent,
    coalesce(e.subject->>'prompt_version', '') AS prompt
  FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  WHERE e.status = 'completed' AND r.kind IN {sql_list(TREND)} AND (%(kind)s = '' OR r.kind = %(kind)s)
    AND (%(agent)s = '' OR coalesce(nullif(e.subject->>'agent', ''), a.name) = %(agent)s)
    AND (%(config)s = '' OR split_part(e.config_ref, '@', 1) = %(config)s OR e.config_ref = %(config)s)
    AND (%(prompt)s = '' OR e.subject->>'prompt_version' = %(prompt)s)
  ORDER BY e.created_at DESC LIMIT %(most)s
)
SELECT q.id, q.created_at, q.config_ref, q.kind, q.name, q.agent, q.prompt, j.fingerprint, count(v.score), avg(v.score),
  stddev_samp(v.score)
FROM chosen q JOIN evaluations_judgement j ON j.evaluation_id = q.id AND j.status = 'scored' AND NOT j.by_fallback
JOIN runs_conversation c ON c.id = j.conversation_id AND c.blame IS DISTINCT FROM 'golden'
LEFT JOIN evaluations_criterionscore k ON k.judgement_id = j.id AND k.criterion = %(criterion)s
CROSS JOIN LATERAL (SELECT CASE WHEN %(criterion)s = '' THEN j.weighted_score ELSE k.score END AS score) v
WHERE v.score IS NOT NULL AND (%(language)s = '' OR split_part(lower(c.language), '-', 1) = %(language)s)
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY q.created_at, j.fingerprint
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationTrendFilter:
    """Which evaluations: "" is all. Raises BadInput (`bad_option`) for a kind whose scores are no trend of tests."""

    kind: str = ""
    agent: str = ""
    config: str = ""
    criterion: str = ""
    language: str = ""
    prompt_version: str = ""

    def __post_init__(self) -> None:
        if self.kind and self.kind not in TREND:
            known = ", ".join(one.value for one in TREND)
            raise BadInput(f"{self.kind!r} is no kind with a trend: use one of {known}, production.", code="bad_option",
                           pointer="/kind")  # fmt: skip


def trends_of_tests(asked: EvaluationTrendFilter) -> list[dict[str, Any]]:
    """A series for each kind of run, oldest point first; where two judges judged in one evaluation, each has a point of
    its own. The newest MOST evaluations. One query."""
    parameters: dict[str, Any] = {
        "kind": asked.kind, "agent": asked.agent, "config": asked.config, "criterion": asked.criterion,
        "language": asked.language.casefold(), "prompt": asked.prompt_version, "most": MOST,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_POINTS, parameters)
        rows = cursor.fetchall()
    series: dict[str, list[dict[str, Any]]] = {}
    for id, at, config, kind, name, agent, prompt, judge, n, mean, deviation in rows:
        interval = list(mean_interval(mean, deviation, n, low=0.0, high=10.0)) if n > 1 else None
        series.setdefault(kind, []).append(
            {
                "at": at.isoformat(), "until": at.isoformat(), "status": "ok" if interval else "too_few", "score": mean,
                "interval": interval, "half_width": (interval[1] - interval[0]) / 2 if interval else None, "scored": n,
                "population": n, "fingerprint": judge, "evaluator_config": config, "note": "", "name": name,
                "evaluation_id": str(id), "agent": agent, "prompt_version": prompt, "corrected": None,
            }
        )  # fmt: skip
    return [
        {"name": kind, "kind": kind, "evaluator_config": asked.config, "hours": None, "points": points,
         "breaks": [own["at"] for own, before in zip(points[1:], points, strict=False)
                    if own["fingerprint"] != before["fingerprint"]]}
        for kind, points in series.items()
    ]  # fmt: skip
