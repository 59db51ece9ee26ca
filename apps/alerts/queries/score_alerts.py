"""Scores that fell, by the paired test over the same cases; and judges that agree less."""

from datetime import datetime, timedelta

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.core.errors import RatibaError
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.models import Evaluation
from apps.reports.comparisons.queries.baseline import suggest_baseline
from apps.reports.comparisons.queries.comparing import compare
from apps.runs.domain.states import Kind

LATELY = timedelta(hours=24)
LEVEL = 0.05  # of all looks at one agent together
MIN_DROP = 0.3  # points of ten: less is nobody's night
_LOOKS = 20
_KINDS = (Kind.BATTLE, Kind.REPLAY)


def fallen_scores(now: datetime) -> list[Condition]:
    """Agents whose newest evaluation of the last day scores lower than the one before it, on the same cases.

    The paired sign-flip test that the comparison page uses, one-sided. The k-th evaluation of an agent and version
    within a week is tested at LEVEL / (k (k + 1)), which sums to LEVEL: a week without a change is wrong about once in
    twenty, whatever the number of evaluations. Costs some 15 queries for each agent that was evaluated lately.
    """
    recent = Evaluation.objects.filter(status=EvaluationStatus.COMPLETED, run__kind__in=_KINDS).select_related("run")
    newest: dict[tuple[object, str], Evaluation] = {}
    numbers: dict[tuple[object, str], int] = {}
    for row in recent.filter(ended_at__gte=now - timedelta(days=7)).order_by("ended_at"):
        of = (row.run.agent_id, row.config_ref)
        newest[of], numbers[of] = row, numbers.get(of, 0) + 1
    todays = [(row, numbers[of]) for of, row in newest.items() if row.ended_at and row.ended_at >= now - LATELY]
    found = (_fallen(row, look) for row, look in todays[:_LOOKS])
    return [condition for condition in found if condition is not None]


def _fallen(row: Evaluation, look: int) -> Condition | None:
    earlier = suggest_baseline(row)
    if earlier is None:
        return None
    try:
        overall = compare(earlier.evaluation.pk, row.pk, limit=0).overall
    except RatibaError:
        return None
    if overall.mean is None or overall.chance is None or overall.mean > -MIN_DROP:
        return None
    if overall.chance / 2 > LEVEL / (look * (look + 1)):
        return None
    low, high = overall.interval or (overall.mean, overall.mean)
    name = row.run.agent.name if row.run.agent else "An agent"
    return Condition(
        rule=Rule.SCORE_DROP,
        key=f"{row.run.agent_id} {row.config_ref}",
        sentence=f"{name} scores {-overall.mean:.1f} points lower ({-high:.1f} to {-low:.1f}) by {row.config_ref} on "
        f"{overall.clusters} cases than before.",
        path=f"/evaluations/{row.pk}/",
        severity=Severity.CRITICAL,
    )
