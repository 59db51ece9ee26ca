"""The results of an evaluation: means, counts and warnings, computed by the database from the rows of its
judgements."""

import uuid
from dataclasses import dataclass

from django.db.models import Count

from apps.core.errors import NotFound
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.queries.aggregates import Sums, sums_of
from apps.evaluations.figures.queries.stored_figures import stored_of
from apps.evaluations.models import Evaluation, Judgement
from apps.statistics.decision import Decision, decide
from apps.statistics.quantiles import mean_interval

_NO_VERDICTS = {Decision.PASS.value: 0, Decision.FAIL.value: 0, Decision.UNDECIDED.value: 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """One criterion over an evaluation. Means are over scored judgements only; `interval` is 95 % of the mean
    over `cases` scenarios (repeats of one are no further cases), and
    `decision` the mean's against the pass mark (`unmeasurable` without a score, or without a mark on its scale)."""

    criterion: str
    weight: float
    pass_mark: float
    mean: float | None
    interval: tuple[float, float] | None
    scored: int
    unscored: int
    pass_rate: float | None
    decision: Decision
    cases: int = 0


def find_evaluation(evaluation_id: uuid.UUID | str, *, related: tuple[str, ...] = ()) -> Evaluation:
    """Return the evaluation with its `related` rows. Raises NotFound. One query."""
    rows = Evaluation.objects.select_related(*related) if related else Evaluation.objects.all()
    try:
        return rows.get(pk=uuid.UUID(str(evaluation_id)))
    except (ValueError, Evaluation.DoesNotExist):
        raise NotFound(f"There is no evaluation {evaluation_id}.") from None


def counts_of(evaluation: Evaluation) -> dict[str, int]:
    """Judgements by state, every state named. No query where they are stored, else one."""
    stored = stored_of(evaluation)
    return dict(stored["counts"]) if stored else count_states(evaluation.pk)


def count_states(evaluation_id: uuid.UUID) -> dict[str, int]:
    """Count the judgements of each state now. One query."""
    counts = dict(
        Judgement.objects.filter(evaluation_id=evaluation_id).values_list("status").annotate(n=Count("*")).order_by()
    )
    return {state.value: counts.get(state.value, 0) for state in JudgementStatus}


def criterion_results(evaluation_id: uuid.UUID) -> list[CriterionResult]:
    """Every criterion's mean, interval, pass rate and counts, in the version's order. One query, or eight."""
    evaluation = find_evaluation(evaluation_id)
    return criteria_of(sums_of(evaluation, scored=counts_of(evaluation)["scored"]))


def criteria_of(sums: Sums) -> list[CriterionResult]:
    """Return the result of each criterion from sums that are at hand. No query."""
    criteria = []
    for name, _position, weight, mark, mean, _deviation, scored, unscored, _bars in sums.criteria:
        counts = sums.decisions["criteria"].get(name)
        cases, spread = sums.spread(name)
        criteria.append(
            CriterionResult(
                criterion=name,
                weight=weight,
                pass_mark=mark,
                mean=mean,
                interval=_interval(mean, spread, cases),
                scored=scored,
                unscored=unscored,
                pass_rate=counts["pass"] / scored if scored and counts else None,
                decision=decide(mean if counts else None, mark),
                cases=cases,
            )
        )
    return criteria


def _interval(mean: float | None, deviation: float | None, n: int) -> tuple[float, float] | None:
    """95 % of the mean, cut to the scale; None below two scenarios."""
    if mean is None or deviation is None or n < 2:
        return None
    return mean_interval(mean, deviation, n, low=0.0, high=10.0)
