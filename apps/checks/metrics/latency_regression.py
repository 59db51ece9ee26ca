"""Did the agent become slower than in the golden session? By rule (domain/golden_latency; brief 004).

Only the agent's own time counts, not our waiting before a nudge. Passes when every turn stays within its budget (three
times the golden one, a second at least, 30 s where the golden has none) and all together within one and a half times;
from three repeats on, when their mean surely does. Fails above. Undecided where the repeats vary too much to tell, or
our own machine was busy. Unmeasurable where no turn was timed, or the replay did not come to its end.
"""

from apps.checks.domain.golden_latency import (
    BUSY,
    FLOOR_S,
    SLACK_S,
    TOTAL_FACTOR,
    TURN_FACTOR,
    UNKNOWN_BUDGET_S,
    latency_finding,
)
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge
from apps.checks.metrics.golden_replay import no_questions, replay_of

__version__ = "1.1.0"  # raise it when a rule of domain/golden_latency changes


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The smallest share budget/latency, at most 1; no question. Raises MetricError, NotApplicable."""
    replay = replay_of(case)
    finding = latency_finding(replay.turns, repeats_s=replay.siblings_s)
    if finding is None:
        raise MetricError("no turn of this replay was timed", code="no_latency")
    return MeasuredMetric(score=finding.score, reason=finding.reason, position=finding.turn, decision=finding.decision)


METRIC = Metric(
    name="latency_regression",
    module="latency_regression",
    version=__version__,
    threshold=1.0,
    wording=(f"{TURN_FACTOR}", f"{TOTAL_FACTOR}", f"{SLACK_S}", f"{UNKNOWN_BUDGET_S}", f"{FLOOR_S}", f"{BUSY}"),
    measure=measure,
    calls=no_questions,
)
