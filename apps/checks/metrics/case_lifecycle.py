"""Did the case that the conversation works on come as far as in the golden session? By rule (brief 004).

Passes when there is a case, every stage that was completed in the golden session is completed again, and the status is
the same. Fails where one is not. Skipped where the golden session has no case. Unmeasurable where the transport cannot
look at cases, or the replay did not come to its end.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions, replay_of

__version__ = "1.0.0"
COMPLETED = "completed"


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """The share of what holds of case, stages and status; no question. Raises MetricError, NotApplicable."""
    replay = replay_of(case)
    if replay.golden_case is None:
        raise NotApplicable("the golden session has no case")
    if not replay.sees_cases:
        raise MetricError(f"the transport {replay.transport} cannot look at cases", code="no_case_view")
    faults = list(_faults(replay.golden_case, replay.case))
    expected = 2 + len(_completed(replay.golden_case))
    met = 0 if replay.case is None else max(0, expected - len(faults))
    return MeasuredMetric(
        score=met / expected,
        reason=" ".join(faults) or f"The case went through all {expected - 2} stages of the golden session's.",
        evidence=tuple({"kind": "rule", "why": why} for why in faults),
    )


def _faults(golden: Mapping[str, Any], now: Mapping[str, Any] | None) -> Iterator[str]:
    if now is None:
        yield "No case was created."
        return
    there = _completed(now)
    for stage in _completed(golden):
        if stage not in there:
            yield f"The stage {stage!r} was not completed."
    before, after = str(golden.get("status") or ""), str(now.get("status") or "")
    if before and before.casefold() != after.casefold():
        yield f"The case is {after or 'without a status'}; it was {before}."


def _completed(case: Mapping[str, Any]) -> list[str]:
    stages = case.get("stages") or ()
    return [str(stage.get("name") or "") for stage in stages if stage.get("status") == COMPLETED]


METRIC = Metric(
    name="case_lifecycle",
    module="case_lifecycle",
    version=__version__,
    threshold=1.0,
    wording=(),
    measure=measure,
    calls=no_questions,
)
