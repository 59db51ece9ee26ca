"""Were the tools used that the scenario asserts? By rule (domain/scenario_findings).

Passes when every asserted tool was called somewhere in the conversation with the arguments and status it names, and no
forbidden one was. Fails where one was not, or was called otherwise; the path of the argument is printed. Skipped where
the scenario asserts no tool. Unmeasurable where the battle did not come to its end, or where the way to the agent does
not show tool calls: a forbidden tool would be green for ever.
"""

from apps.checks.domain.scenario_findings import Findings, tool_assertions
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions
from apps.connectors.agents.base import ReplyPart

__version__ = "1.1.0"  # raise it when a rule of domain/scenario_findings or domain/golden_tools changes

NOT_SHOWN = (
    "the agent's replies show no tool calls, so nothing says which tools it used. Let the agent send them beside its "
    'reply as tool_calls ([] where there were none), or say where they are: tool_calls: "$.path" in its options.'
)


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The share of tool assertions that hold; no question. Raises NotApplicable, MetricError (`not_delivered`)."""
    if case.scenario is None or not case.scenario.expected_tools:
        raise NotApplicable("the scenario asserts no tool")
    if ReplyPart.TOOL_CALLS in case.scenario.hidden:
        raise MetricError(NOT_SHOWN, code="not_delivered")
    return measured(tool_assertions(case.scenario.expected_tools, case.scenario.tools))


def measured(findings: Findings) -> MeasuredMetric:
    """Findings as a metric's answer."""
    return MeasuredMetric(
        score=findings.met / findings.expected,
        reason=" ".join(fault.why for fault in findings.faults[:5]) or f"All {findings.expected} assertions hold.",
        evidence=tuple(fault.evidence for fault in findings.faults[:20]),
        position=next((fault.at for fault in findings.faults if fault.at is not None), None),
    )


METRIC = Metric(
    name="ScenarioToolsMetric",
    module="scenario_tools",
    version=__version__,
    threshold=1.0,
    wording=(),
    measure=measure,
    calls=no_questions,
)
