"""The filters of a matrix, read when its menu is opened."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from apps.evaluations.figures.queries.aggregates import sums_of
from apps.evaluations.figures.queries.results import counts_of, find_evaluation
from apps.evaluations.models import Evaluation
from apps.reports.tables.domain.matrix_filters import MatrixFilter, parse_matrix_filter
from apps.reports.tables.queries.matrix import criteria_names

_FACETS = """
SELECT coalesce(c.spec->>'persona_name', ''), coalesce(c.spec->>'scenario', c.spec->>'golden_session', ''), c.language,
  count(*)
FROM runs_conversation c WHERE c.run_id = %s GROUP BY 1, 2, 3
"""
_LABELS = """
SELECT l.key || '=' || l.value, count(*) FROM runs_conversation c, jsonb_each_text(c.labels) l
WHERE c.run_id = %s GROUP BY 1 HAVING length(min(l.value)) <= 60 ORDER BY 2 DESC, 1 LIMIT 40
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixFacets:
    """The choices of a matrix's filters with their counts, the commonest first."""

    evaluation: Evaluation
    found: MatrixFilter
    criteria: Sequence[str]
    personas: Sequence[tuple[str, int]]
    scenarios: Sequence[tuple[str, int]]
    languages: Sequence[tuple[str, int]]
    labels: Sequence[tuple[str, int]]
    runs: Sequence[Evaluation]


def matrix_facets(evaluation_id: uuid.UUID, *, asked: Mapping[str, str]) -> MatrixFacets:
    """Return the matrix's filters with their counts. At most ten queries. Raises NotFound."""
    matrix_filter, _ = parse_matrix_filter(asked)
    evaluation = find_evaluation(evaluation_id, related=("run",))
    with connection.cursor() as cursor:
        cursor.execute(_FACETS, [evaluation.run_id])
        rows = cursor.fetchall()
        cursor.execute(_LABELS, [evaluation.run_id])
        labels = [(name, n) for name, n in cursor.fetchall()]
    sums = sums_of(evaluation, scored=counts_of(evaluation)["scored"])
    others = Evaluation.objects.filter(config_version=evaluation.config_version_id).select_related("run")
    runs = others.only("created_at", "run__name", "run__kind", "config_ref").order_by("-created_at")[:20]
    persona, scenario, language = (_added_up((row[at], row[3]) for row in rows) for at in range(3))
    return MatrixFacets(
        evaluation=evaluation,
        found=matrix_filter,
        criteria=criteria_names(evaluation, sums),
        personas=persona,
        scenarios=scenario,
        languages=language,
        labels=labels,
        runs=list(runs),
    )


def _added_up(counted: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Add the counts up by value, the commonest first; an empty value is left out."""
    counter: Counter[str] = Counter()
    for value, n in counted:
        counter[value] += n
    return [(value, n) for value, n in counter.most_common() if value]
