"""The scores of one judge alone: the means of evaluations over scenarios, by which agents are compared over time.

What a fallback model judged is another instrument's and in no such mean, whether or not it counts in the headline mean;
neither is what stands on a scale of its own, nor a conversation whose golden session was wrong.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import connection

from apps.runs.domain.cases import SCENARIO_SQL

_MEANS_BY = """
WITH judged AS (
  SELECT j.evaluation_id AS evaluation, j.id, {scenario} AS scenario, j.weighted_score
  FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
  WHERE j.evaluation_id = ANY(%(ids)s) AND j.status = 'scored' AND NOT j.by_fallback
    AND c.blame IS DISTINCT FROM 'golden'
), grouped AS (
  SELECT evaluation, '' AS criterion, scenario, count(*) AS n, sum(weighted_score) AS total FROM judged
  WHERE weighted_score IS NOT NULL GROUP BY evaluation, scenario
  UNION ALL
  SELECT evaluation, s.criterion, scenario, count(*), sum(s.score) FROM judged
  JOIN evaluations_criterionscore s ON s.judgement_id = judged.id
  WHERE s.status = 'scored' AND s.score IS NOT NULL AND s.scale = '0-10' GROUP BY 1, 2, 3
), whole AS (
  SELECT evaluation, criterion, sum(total) / sum(n) AS mean, sum(n) AS n FROM grouped GROUP BY 1, 2
)
SELECT g.evaluation, g.criterion, min(w.mean), count(*), CASE WHEN count(*) > 1 THEN
  count(*) * sqrt(sum((g.total - g.n * w.mean) ^ 2) / (count(*) - 1)) / min(w.n) END
FROM grouped g JOIN whole w ON w.evaluation = g.evaluation AND w.criterion = g.criterion GROUP BY 1, 2
"""
_MEANS = _MEANS_BY.format(scenario=SCENARIO_SQL)
_JUDGES = """
SELECT evaluation_id, mode() WITHIN GROUP (ORDER BY fingerprint), count(DISTINCT fingerprint)
FROM evaluations_judgement WHERE evaluation_id = ANY(%(ids)s) AND status = 'scored' AND NOT by_fallback GROUP BY 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMeans:
    """Means of an evaluation over one judge's scores.

    `means` is by criterion, the weighted score under "": mean, scenarios, and its standard deviation over them (None
    below two). `fingerprint` is the commonest of `judges` judges ("" and 0 before any is scored).
    """

    means: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    fingerprint: str = ""
    judges: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def own_means_of_each(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, OwnMeans]:
    """Read the means by evaluation: two queries, none for none; some 5 µs for each criterion score."""
    if not ids:
        return {}
    means: dict[uuid.UUID, dict[str, Sequence[Any]]] = {pk: {} for pk in ids}
    with connection.cursor() as cursor:
        cursor.execute(_MEANS, {"ids": list(ids)})
        for evaluation, criterion, *figures in cursor.fetchall():
            means[evaluation][criterion] = figures
        cursor.execute(_JUDGES, {"ids": list(ids)})
        judges = {evaluation: (fingerprint, n) for evaluation, fingerprint, n in cursor.fetchall()}
    own_means = {}
    for pk in ids:
        fingerprint, n = judges.get(pk, ("", 0))
        own_means[pk] = OwnMeans(means=means[pk], fingerprint=fingerprint, judges=n)
    return own_means
