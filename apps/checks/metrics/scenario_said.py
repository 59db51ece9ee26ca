"""Did the agent say what the scenario asserts, and nothing that it forbids? By rule (domain/scenario_findings).

Passes when each asserted phrase stands in some reply of the agent, and no forbidden one does. Fails where it is not so.
Skipped where the scenario asserts no words. Unmeasurable where a pattern takes too long on a reply.
"""

from apps.checks.domain.scenario_findings import said_assertions
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions
from apps.checks.metrics.scenario_tools import measured
from apps.core.patterns import PatternProblem

__version__ = "1.1.0"  # raise it when a rule of domain/scenario_findings changes


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The share of assertions about words that hold; no question. Raises NotApplicable, MetricError (`pattern`)."""
    if case.scenario is None or not case.scenario.said_phrases:
        raise NotApplicable("the scenario asserts no words")
    try:
        return measured(said_assertions(case.scenario.said_phrases, case.scenario.replies))
    except PatternProblem as error:
        raise MetricError(error.message, code="pattern") from error


METRIC = Metric(
    name="ScenarioSaidMetric",
    module="scenario_said",
    version=__version__,
    threshold=1.0,
    wording=(),
    measure=measure,
    calls=no_questions,
)
