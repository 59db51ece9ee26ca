"""All sums over an evaluation's scored judgements, computed by the database.

They are stored with it when it ends (queries.figures); while a large one is judged, they are read again each time some
per cent more are scored, and say themselves over how many.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection

from apps.evaluations.domain.fallback_rule import fallback_counts
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate
from apps.evaluations.figures.queries.decisions import DecisionCounts, count_decisions
from apps.evaluations.figures.queries.stored_figures import stored_of
from apps.evaluations.models import Evaluation
from apps.runs.domain.cases import SCENARIO_SQL

LARGE = 500  # scored judgements; sums over fewer are read in some milliseconds, as often as one more is scored
BARS = 11  # one for each whole score, 0 to 10

_HEADLINE = """
SELECT count(weighted_score), avg(weighted_score), stddev_samp(weighted_score),
  coalesce(mode() WITHIN GROUP (ORDER BY fingerprint) FILTER (WHERE NOT by_fallback),
    mode() WITHIN GROUP (ORDER BY fingerprint))
FROM evaluations_judgement
WHERE evaluation_id = %(evaluation)s AND status = 'scored' AND (%(with_fallback)s OR NOT by_fallback)
  AND NOT EXISTS (SELECT 1 FROM runs_conversation c WHERE c.id = conversation_id AND c.blame = 'golden')
"""
_TALLY = """
SELECT count(*) FILTER (WHERE by_fallback), count(DISTINCT fingerprint), count(*) FILTER (WHERE late),
  count(*) FILTER (WHERE weighted_score IS NULL AND NOT EXISTS (SELECT 1 FROM evaluations_criterionscore s
    WHERE s.judgement_id = j.id AND s.status = 'scored')),
  count(*) FILTER (WHERE weighted_score IS NULL AND EXISTS (SELECT 1 FROM evaluations_criterionscore s
    WHERE s.judgement_id = j.id AND s.status = 'scored')),
  count(*) FILTER (WHERE c.blame = 'agent_quality'),
  least(greatest(count(DISTINCT j.fingerprint) FILTER (WHERE NOT j.by_fallback), 1), count(*))
FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
WHERE j.evaluation_id = %(evaluation)s AND j.status = 'scored'
"""
_COUNTED = """
FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id {more}
WHERE j.evaluation_id = %(evaluation)s AND (%(with_fallback)s OR NOT j.by_fallback)
  AND NOT EXISTS (SELECT 1 FROM runs_conversation c WHERE c.id = j.conversation_id AND c.blame = 'golden')
"""
_BARS = ", ".join(
    f"count(*) FILTER (WHERE s.status = 'scored' AND s.scale = '0-10' AND s.score >= {bar} - 0.5"
    f" AND s.score < {bar} + 0.5)"
    for bar in range(BARS)
)
_CRITERIA = f"""
SELECT s.criterion, min(s.position), min(s.weight), min(s.pass_mark), avg(s.score), stddev_samp(s.score),
  count(*) FILTER (WHERE s.status = 'scored'), count(*) FILTER (WHERE s.status <> 'scored'), ARRAY[{_BARS}]
{_COUNTED.format(more="")} GROUP BY s.criterion ORDER BY min(s.position)
"""
_EVIDENCE = f"""
SELECT s.criterion, e->>'kind', count(*)
{_COUNTED.format(more="CROSS JOIN LATERAL jsonb_array_elements(s.evidence) e")} GROUP BY 1, 2 ORDER BY 1, 2
"""
# The spread of a mean over scenarios (the sandwich estimator of clustered observations; Liang and Zeger 1986): repeats
# of one scenario are no further cases. With one conversation a scenario it is the standard deviation.
_CASES_BY = """
WITH judged AS (
  SELECT j.id, {scenario} AS scenario, j.weighted_score
  FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
  WHERE j.evaluation_id = %(evaluation)s AND j.status = 'scored' AND (%(with_fallback)s OR NOT j.by_fallback)
    AND c.blame IS DISTINCT FROM 'golden'
), grouped AS (
  SELECT '' AS criterion, scenario, count(*) AS n, sum(weighted_score) AS total FROM judged
  WHERE weighted_score IS NOT NULL GROUP BY scenario
  UNION ALL
  SELECT s.criterion, scenario, count(*), sum(s.score) FROM judged
  JOIN evaluations_criterionscore s ON s.judgement_id = judged.id
  WHERE s.status = 'scored' AND s.score IS NOT NULL GROUP BY 1, 2
), whole AS (
  SELECT criterion, sum(total) / sum(n) AS mean, sum(n) AS n FROM grouped GROUP BY 1
)
SELECT g.criterion, count(*), CASE WHEN count(*) > 1 THEN
  count(*) * sqrt(sum((g.total - g.n * w.mean) ^ 2) / (count(*) - 1)) / min(w.n) END
FROM grouped g JOIN whole w ON w.criterion = g.criterion GROUP BY g.criterion
"""
_CASES = _CASES_BY.format(scenario=SCENARIO_SQL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Aggregates of an evaluation.

    `headline` is (in mean, mean, standard deviation, passed, commonest fingerprint); `tally` counts what a reader is
    warned of; `criteria` has a row per criterion: name, position, weight, pass mark, mean, deviation, scored, unscored,
    histogram; `evidence` a row per criterion and kind with its count; `decisions` are the fields of `DecisionCounts`,
    as the scores stand; `cases` is by criterion, and by "" for the weighted score, the number of scenarios behind the
    mean and its standard deviation over them. All of it is plain JSON.
    """

    headline: Sequence[Any]
    tally: Mapping[str, int]
    criteria: Sequence[Sequence[Any]]
    evidence: Sequence[tuple[str, str, int]]
    decisions: Mapping[str, Any]
    cases: Mapping[str, Sequence[Any]]

    def spread(self, criterion: str = "") -> tuple[int, float | None]:
        """Scenarios behind a mean, and its standard deviation over them (None below two)."""
        count, deviation = self.cases.get(criterion) or (0, None)
        return int(count), deviation

    @property
    def decision_counts(self) -> DecisionCounts:
        """The decisions as the scores stand, without any noise of the judge."""
        return DecisionCounts(**self.decisions)


def sums_of(evaluation: Evaluation, *, scored: int) -> Sums:
    """Return the sums. No query where they are stored or cached, else six; a large one lags while judged."""
    if stored := stored_of(evaluation):
        return Sums(**{name: stored[name] for name in Sums.__dataclass_fields__})
    step = 10 ** (len(str(scored)) - 2) if evaluation.status in EVALUATION_ACTIVE and scored >= LARGE else 1
    return cached_aggregate(
        f"sums-{evaluation.status}", evaluation, scored // step * step, lambda: compute_aggregates(evaluation)
    )


def compute_aggregates(evaluation: Evaluation) -> Sums:
    """Summed now, in six queries: some 10 µs per criterion score."""
    with_fallback = fallback_counts(evaluation.options, evaluation.snapshot)
    parameters: dict[str, Any] = {"evaluation": evaluation.pk, "with_fallback": with_fallback}
    with connection.cursor() as cursor:

        def rows(statement: str) -> list[tuple[Any, ...]]:
            cursor.execute(statement, parameters)
            records: list[tuple[Any, ...]] = cursor.fetchall()
            return records

        names = ("by_fallback", "fingerprints", "late", "nothing_to_score", "own_scale", "agent_failed", "judges")
        decision_counts = count_decisions(evaluation)
        in_mean, mean, deviation, fingerprint = rows(_HEADLINE)[0]
        return Sums(
            headline=(in_mean, mean, deviation, decision_counts.whole["pass"], fingerprint),
            decisions=asdict(decision_counts),
            tally=dict(zip(names, rows(_TALLY)[0], strict=True)),
            criteria=rows(_CRITERIA),
            cases={name: (count, deviation) for name, count, deviation in rows(_CASES)},
            evidence=[(criterion, kind, count) for criterion, kind, count in rows(_EVIDENCE)],
        )
