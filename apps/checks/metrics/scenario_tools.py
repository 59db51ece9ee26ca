"""Were the tools used that the scenario asserts? By rule (domain/scenario_findings).

Passes when every asserted tool was called somewhere in the conversation with the arguments and status it names, and no
forbidden one was. Fails where one was not, or was called otherwise; the path of the argument is printed. Skipped where
the scenario asserts no tool. Unmeasurable where the battle did not come to its end.
"""

from apps.checks.domain.scenario_findings import Findings, tool_assertions
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions

__version__ = "1.0.0"  # raise it when a rule of domain/scenario_findings or domain/golden_tools changes


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The share of tool assertions that hold; no question. Raises NotApplicable."""
    if case.scenario is None or not case.scenario.expected_tools:
        raise NotApplicable("the scenario asserts no tool")
    return measured(tool_assertions(case.scenario.expected_tools, case.scenario.tools))


def measured(found: Findings) -> MeasuredMetric:
    """Findings as a metric's answer."""
    return MeasuredMetric(
        score=found.met / found.expected,
        reason=" ".join(one.why for one in found.faults[:5]) or f"All {found.expected} assertions hold.",
        evidence=tuple(one.evidence for one in found.faults[:20]),
        position=next((one.at for one in found.faults if one.at is not None), None),
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
