"""Did the battle end as the scenario asserts, and lead to the state it asserts? By rule (domain/scenario_findings).

Passes when the end is one of those named and every path holds the value. Fails where it is not so. Skipped where the
scenario asserts neither. Unmeasurable where a state could not be read and nothing else is wrong, where the battle did
not come to its end, or where the agent is to close the conversation and the way to it does not show that.
"""

from apps.checks.domain.scenario_findings import end_assertions
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions
from apps.checks.metrics.scenario_tools import measured
from apps.connectors.agents.base import ReplyPart
from apps.runs.domain.states import EndReason

__version__ = "1.2.0"  # raise it when a rule of domain/scenario_findings changes


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The share of end assertions that hold; no question. Raises NotApplicable, MetricError (`state_unread`,
    `not_delivered`)."""
    played = case.scenario
    if played is None or not (played.expected_end or played.state_requests):
        raise NotApplicable("the scenario asserts no end")
    if EndReason.AGENT_CLOSED in played.expected_end and ReplyPart.ENDED in played.hidden:
        raise MetricError(
            "the agent's replies do not show that it closed the conversation. Let the agent send ended: true or false "
            'beside its reply, or say where it is: ended: "$.path" in the agent\'s options.',
            code="not_delivered",
        )
    unread = [f"{state['url']}: {state['error']}" for state in played.states if "error" in state]
    read = [state for state in played.states if "error" not in state]
    assertions = end_assertions(expected_end=played.expected_end, end_reason=played.end_reason, states=read)
    if not assertions.faults and (unread or len(played.states) < played.state_requests):
        raise MetricError(
            f"the state could not be read: {'; '.join(unread) or 'no answer is stored'}", code="state_unread"
        )
    return measured(assertions)


METRIC = Metric(
    name="ScenarioEndStateMetric",
    module="scenario_end_state",
    version=__version__,
    threshold=1.0,
    wording=(),
    measure=measure,
    calls=no_questions,
)
