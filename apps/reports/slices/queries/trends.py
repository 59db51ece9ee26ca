"""Scores of tests over time: an evaluation a point, by kind of run, agent, config, criterion, language, prompt."""

import json
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from apps.core.errors import BadInput
from apps.evaluations.figures.queries.moments import COUNTED, LANGUAGE_SQL
from apps.evaluations.figures.queries.second_opinions import paired_score
from apps.evaluations.figures.queries.stored_figures import STORED_SQL
from apps.runs.domain.kind_traits import TREND
from apps.runs.domain.states import Kind
from apps.statistics.agreement import gwet_ac1, gwet_ac1_interval, raw_agreement
from apps.statistics.quantiles import mean_interval

MOST = 200  # points, the newest
_SIDES = (False, True)

# The sandwich of scenarios stands behind an evaluation's own page; here a point is quick to read: a conversation a
# case. What is stored with an evaluation is added up; of one without, its scores are read.
_CHOSEN = f"""
  SELECT e.id, e.created_at, e.config_ref, e.triggered_by, e.snapshot, r.kind, r.name,
    coalesce(nullif(e.subject->>'agent', ''), a.name, '') AS agent,
    coalesce(e.subject->>'prompt_version', '') AS prompt, {STORED_SQL} AS sums
  FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  WHERE e.status = 'completed' AND r.kind = ANY(%(kinds)s)
    AND (%(agent)s = '' OR coalesce(nullif(e.subject->>'agent', ''), a.name) = %(agent)s)
    AND (%(config)s = '' OR split_part(e.config_ref, '@', 1) = %(config)s OR e.config_ref = %(config)s)
    AND (%(prompt)s = '' OR e.subject->>'prompt_version' = %(prompt)s)
    AND (%(triggered_by)s = '' OR e.triggered_by = %(triggered_by)s)
  ORDER BY e.created_at DESC LIMIT %(most)s
"""  # noqa: S608 - words of our own
_POINTS = f"""
WITH chosen AS ({_CHOSEN}), moments AS (
  SELECT q.id, m->>0 AS fingerprint, (m->>3)::bigint AS n, (m->>4)::float8 AS mean, (m->>5)::float8 AS squares
  FROM chosen q CROSS JOIN LATERAL jsonb_array_elements(q.sums->'moments') m
  WHERE m->>2 = %(criterion)s AND (%(language)s = '' OR m->>1 = %(language)s)
  UNION ALL
  SELECT q.id, j.fingerprint, count(*), avg(v.score), coalesce(var_samp(v.score), 0) * (count(*) - 1)
  FROM chosen q JOIN evaluations_judgement j ON q.sums IS NULL AND j.evaluation_id = q.id AND {COUNTED}
  JOIN runs_conversation c ON c.id = j.conversation_id
  LEFT JOIN evaluations_criterionscore k ON k.judgement_id = j.id AND k.criterion = %(criterion)s
  CROSS JOIN LATERAL (SELECT CASE WHEN %(criterion)s = '' THEN j.weighted_score ELSE k.score END AS score) v
  WHERE v.score IS NOT NULL AND (%(language)s = '' OR {LANGUAGE_SQL} = %(language)s) GROUP BY 1, 2
), whole AS (
  SELECT id, fingerprint, sum(n)::bigint AS n, sum(n * mean) / sum(n) AS mean FROM moments GROUP BY 1, 2
)
SELECT q.id, q.created_at, q.config_ref, q.kind, q.name, q.agent, q.prompt, q.triggered_by, (
    SELECT sum((c->>'pass_mark')::float8 * (c->>'weight')::float8) / nullif(sum((c->>'weight')::float8), 0)
    FROM jsonb_array_elements(q.snapshot->'criteria') c WHERE %(criterion)s IN ('', c->>'name')
  ), w.fingerprint, w.n, w.mean, CASE WHEN w.n > 1 THEN (
    SELECT sqrt(sum(m.squares + m.n * (m.mean - w.mean) ^ 2) / (w.n - 1)) FROM moments m
    WHERE m.id = w.id AND m.fingerprint = w.fingerprint) END
FROM chosen q JOIN whole w ON w.id = q.id ORDER BY q.created_at, w.fingerprint
"""  # noqa: S608 - words of our own


# Scores that a second judge was asked about too.
_PAIRS = f"""
WITH chosen AS ({_CHOSEN})
SELECT q.id, q.created_at, q.config_ref, q.kind, q.name, j.fingerprint, s.pass_mark, s.score, s.opinions::text
FROM chosen q JOIN evaluations_judgement j ON j.evaluation_id = q.id AND j.status = 'scored' AND NOT j.by_fallback
JOIN runs_conversation c ON c.id = j.conversation_id AND c.blame IS DISTINCT FROM 'golden'
JOIN evaluations_criterionscore s ON s.judgement_id = j.id AND s.opinions @> '[{{"purpose": "cross_check"}}]'
WHERE (%(criterion)s = '' OR s.criterion = %(criterion)s)
  AND (%(language)s = '' OR split_part(lower(c.language), '-', 1) = %(language)s)
ORDER BY q.created_at, q.id, j.fingerprint
"""  # noqa: S608 - as above
_TRIGGERS = f"""
WITH chosen AS ({_CHOSEN})
SELECT q.triggered_by, count(*) FROM chosen q GROUP BY 1 ORDER BY 2 DESC, 1
"""  # noqa: S608 - as above


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationTrendFilter:
    """Filter of evaluations: "" is all.

    Raises BadInput (`bad_option`) for a kind whose scores are no trend of tests.
    """

    kind: str = ""
    agent: str = ""
    config: str = ""
    criterion: str = ""
    language: str = ""
    prompt_version: str = ""
    triggered_by: str = ""

    def __post_init__(self) -> None:
        known = (*TREND, Kind.PRODUCTION)
        if self.kind and self.kind not in known:
            words = ", ".join(one.value for one in known)
            raise BadInput(
                f"{self.kind!r} is no kind with a trend: use one of {words}.", code="bad_option", pointer="/kind"
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """The filter as the statements here take it."""
        return {
            "kinds": [self.kind] if self.kind else [one.value for one in TREND],
            "agent": self.agent,
            "config": self.config,
            "criterion": self.criterion,
            "language": self.language.casefold(),
            "prompt": self.prompt_version,
            "triggered_by": self.triggered_by,
            "most": MOST,
        }


def trends_of_tests(trend_filter: EvaluationTrendFilter) -> list[dict[str, Any]]:
    """A series for each kind of run, oldest point first; where two judges judged in one evaluation, each has a point of
    its own. The newest MOST evaluations. One query."""
    rows = _rows(_POINTS, trend_filter)
    series: dict[str, list[dict[str, Any]]] = {}
    for id, at, config, kind, name, agent, prompt, by, mark, judge, n, mean, deviation in rows:
        interval = list(mean_interval(mean, deviation, n, low=0.0, high=10.0)) if n > 1 else None
        series.setdefault(kind, []).append(
            {
                "at": at.isoformat(), "until": at.isoformat(), "status": "ok" if interval else "too_few", "score": mean,
                "interval": interval, "half_width": (interval[1] - interval[0]) / 2 if interval else None, "scored": n,
                "population": n, "fingerprint": judge, "evaluator_config": config, "note": "", "name": name,
                "evaluation_id": str(id), "agent": agent, "prompt_version": prompt, "corrected": None,
                "triggered_by": by, "pass_mark": mark,
            }
        )  # fmt: skip
    return [
        {"name": kind, "kind": kind, "evaluator_config": trend_filter.config, "hours": None, "points": points,
         "breaks": [own["at"] for own, before in zip(points[1:], points, strict=False)
                    if own["fingerprint"] != before["fingerprint"]]}
        for kind, points in series.items()
    ]  # fmt: skip


def agreement_of_judges(trend_filter: EvaluationTrendFilter) -> list[dict[str, Any]]:
    """Measure by evaluation how often the second judge agrees with the first, oldest first.

    It is Gwet's AC1 of pass and fail with its 95 % interval: where it falls, one of them drifts (brief 000, Neutral 3).
    Evaluations without a cross-check have none. One query.
    """
    points = []
    for key, some in groupby(_rows(_PAIRS, trend_filter), key=lambda row: row[:6]):
        id, at, config, kind, name, judge = key
        pairs = [
            (paired.judge >= mark, paired.other >= mark)
            for *_, mark, score, opinions in some
            if (paired := paired_score(json.loads(opinions), score)) is not None
        ]
        if not pairs:
            continue
        first, second = [own for own, _ in pairs], [other for _, other in pairs]
        interval = gwet_ac1_interval(first, second, labels=_SIDES)
        points.append(
            {
                "at": at.isoformat(),
                "evaluation_id": str(id),
                "name": name,
                "kind": kind,
                "evaluator_config": config,
                "fingerprint": judge,
                "scores": len(pairs),
                "ac1": gwet_ac1(first, second, labels=_SIDES),
                "interval": list(interval) if interval else None,
                "same_side": raw_agreement(first, second),
            }
        )
    return points


def triggers(trend_filter: EvaluationTrendFilter) -> list[dict[str, Any]]:
    """Return the people and programs that asked for the evaluations, the commonest first.

    `by_person` is True for somebody who signs in here, or the word "manual" (brief 003, P1). Two queries.
    """
    rows = _rows(_TRIGGERS, trend_filter)
    people = {"manual", *User.objects.filter(username__in=[by for by, _ in rows]).values_list("username", flat=True)}
    return [{"triggered_by": by, "evaluations": n, "by_person": by in people} for by, n in rows]


def _rows(statement: str, trend_filter: EvaluationTrendFilter) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, trend_filter.parameters)
        return list(cursor.fetchall())
