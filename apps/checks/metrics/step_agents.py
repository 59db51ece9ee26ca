"""Did the golden session's step agents work again? By rule (brief 004).

Passes when each step agent of the golden session was seen again, by whatever source. Fails where one was not. Skipped
where the golden session has none. Unmeasurable where only the case tells of one and the transport cannot look at it, or
the replay did not come to its end.
"""

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions, replay_of

__version__ = "1.0.0"


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """Score the share of expected step agents that were seen; asks no model."""
    replay = replay_of(case)
    by_turn = (name for turn in replay.turns for name in turn.expected_step_agents)
    expected = list(dict.fromkeys(name for name in (*by_turn, *replay.expected_step_agents) if name))
    if not expected:
        raise NotApplicable("the golden session has no step agents")
    seen = {*replay.step_agents, *(name for turn in replay.turns for name in turn.step_agents)}
    missing = [name for name in expected if name not in seen]
    expected_agents = {name for turn in replay.turns for name in turn.expected_step_agents}
    if missing and not replay.sees_cases and not expected_agents & set(missing):
        names = ", ".join(missing)
        raise MetricError(f"the transport {replay.transport} cannot look for {names} in the case", code="no_case_view")
    reason = f"Not seen: {', '.join(missing)}." if missing else f"All {len(expected)} were seen."
    return MeasuredMetric(
        score=1 - len(missing) / len(expected),
        reason=reason,
        evidence=tuple({"kind": "rule", "why": f"{name} was not seen"} for name in missing),
    )


METRIC = Metric(
    name="step_agents_detected",
    module="step_agents",
    version=__version__,
    threshold=1.0,
    wording=(),
    measure=measure,
    calls=no_questions,
)
