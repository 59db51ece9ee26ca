"""Is every reply of the agent as fast, as long and of the shape that the scenario asserts? By rule.

Passes when every limit holds for every reply. Fails where one reply is beyond one. Skipped where the scenario asserts
none. Unmeasurable where a limit of time is asserted, nothing is wrong, and no reply was timed.
"""

from apps.checks.domain.reply_findings import reply_assertions, timed_limits
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions
from apps.checks.metrics.scenario_tools import measured

__version__ = "1.0.0"  # raise it when a rule of domain/reply_findings changes


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The share of limits that hold; no question. Raises NotApplicable, MetricError (`no_latency`)."""
    played = case.scenario
    if played is None or not played.reply_limits:
        raise NotApplicable("the scenario asserts nothing of each reply")
    assertions = reply_assertions(played.reply_limits, played.replies)
    timed = any(reply.latency_ms is not None for reply in played.replies)
    if not assertions.faults and timed_limits(played.reply_limits) and not timed:
        raise MetricError("no reply of this conversation was timed", code="no_latency")
    return measured(assertions)


METRIC = Metric(
    name="ScenarioRepliesMetric",
    module="scenario_replies",
    version=__version__,
    threshold=1.0,
    wording=(),
    measure=measure,
    calls=no_questions,
)
