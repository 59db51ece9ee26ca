"""Were the golden session's tools called again? By rule (domain/golden_tools; brief 004).

Passes when every expected tool was called and every expected argument, status and order holds; further tools are told.
Fails where one is missing, forbidden or called with other arguments. Skipped where the golden session expects no tool.
Unmeasurable where the replay did not come to its end, or where the way to the agent does not show tool calls.
"""

from apps.checks.domain.golden_tools import tool_findings
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions, replay_of
from apps.checks.metrics.scenario_tools import NOT_SHOWN

__version__ = "1.3.0"  # raise it when a rule of domain/golden_tools changes


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The share of expectations that hold; no question. Raises NotApplicable, MetricError (`not_delivered`)."""
    findings = tool_findings(replay_of(case).turns)
    if not findings.expected:
        raise NotApplicable(_nothing_held(sum(len(turn.golden_calls) for turn in replay_of(case).turns)))
    if replay_of(case).hides_tools:
        raise MetricError(NOT_SHOWN, code="not_delivered")
    unseen = f" Held by name, its arguments are not shown: {', '.join(findings.unseen)}." if findings.unseen else ""
    additional = f" Called in addition: {', '.join(findings.extra)}." if findings.extra else ""
    reason = " ".join(fault.why for fault in findings.faults[:5]) or f"All {findings.expected} expectations hold."
    return MeasuredMetric(
        score=findings.met / findings.expected,
        reason=f"{reason}{unseen}{additional}",
        evidence=tuple({"turn": fault.at, **fault.evidence} for fault in findings.faults[:20]),
        position=next((fault.at for fault in findings.faults if fault.at is not None), None),
    )


def _nothing_held(calls: int) -> str:
    if not calls:
        return "the golden session expects no tool"
    stand = "1 call stands" if calls == 1 else f"{calls} calls stand"
    return f"{stand} in the golden session and none is held to: write under Tools of a turn which are expected"


METRIC = Metric(
    name="tool_invocations_match_golden",
    module="tool_invocations",
    version=__version__,
    threshold=1.0,
    wording=(),
    measure=measure,
    calls=no_questions,
)
