"""The scores of an evaluation's main judge, by criterion and language: a certificate is applied to these."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection

from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate
from apps.evaluations.figures.queries.stored_figures import stored_figure
from apps.evaluations.figures.queries.uncertainty import Uncertainties
from apps.evaluations.models import Evaluation

STRATA = "strata"  # the figure's name

_STRATA = """
SELECT s.criterion, c.language, count(s.score), avg(s.score), coalesce(var_samp(s.score), 0),
  count(*) FILTER (WHERE s.score >= s.pass_mark), count(*) FILTER (WHERE s.status <> 'scored')
FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
JOIN evaluations_criterionscore s ON s.judgement_id = j.id
WHERE j.evaluation_id = %s AND j.status = 'scored' AND j.fingerprint = %s
GROUP BY s.criterion, c.language ORDER BY min(s.position), c.language
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """One criterion in one language of an evaluation, as its main judge scored it."""

    criterion: str
    language: str
    n: int
    mean: float | None
    variance: float
    passed: int
    unscored: int


def strata_of(evaluation: Evaluation, fingerprint: str, scored: int) -> list[Stratum]:
    """Return strata by criterion and language, of the judge with this fingerprint.

    One query where they are stored, else two, cached while no more is scored.
    """
    stored = stored_figure(evaluation, STRATA)
    if stored is not None and stored["fingerprint"] == fingerprint:
        return [Stratum(**stratum) for stratum in stored["strata"]]
    what = f"{STRATA}-{fingerprint[:8]}"
    return cached_aggregate(what, evaluation, scored, lambda: _strata(evaluation.pk, fingerprint))


def make_strata(evaluation: Evaluation, _doubts: Uncertainties, figures: Mapping[str, Any]) -> dict[str, Any]:
    """The strata to which a certificate of the commonest judge is applied, stored when an evaluation has ended. One
    query."""
    fingerprint = figures["headline"][4] or ""
    return {"fingerprint": fingerprint, "strata": [asdict(stratum) for stratum in _strata(evaluation.pk, fingerprint)]}


def _strata(evaluation_id: uuid.UUID, fingerprint: str) -> list[Stratum]:
    with connection.cursor() as cursor:
        cursor.execute(_STRATA, [evaluation_id, fingerprint])
        return [
            Stratum(criterion=name, language=language, n=n, mean=mean, variance=variance, passed=passed, unscored=out)
            for name, language, n, mean, variance, passed, out in cursor.fetchall()
        ]
