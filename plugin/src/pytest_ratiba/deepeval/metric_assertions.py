"""Choose the project's metrics for a case, and the threshold of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_ratiba.deepeval.user_metrics import UserMetric, UserMetrics
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.scenarios import ScenarioVariant


@dataclass(frozen=True, kw_only=True)
class MetricAssertion:
    """A metric of the project and the threshold it is held to; None: the class's own."""

    metric: UserMetric
    threshold: float | None = None


def metric_assertions(variant: ScenarioVariant, metrics: UserMetrics) -> list[MetricAssertion]:
    """List the metrics by which a case is measured here.
    These are the case's own lines, those of the section `metrics:`, and the metric of its language unless one of the
    lines names it. Raises `ProjectError` with the line for a threshold that is no number from 0 to 1."""
    written = [(f"{variant.pointer}/assertions/{n}", one) for n, one in enumerate(variant.assertions)]
    lines = [(at, one) for at, one in written if one.get("metric") in metrics.classes]
    named = {one["metric"] for _, one in lines}
    more = [one for one in metrics.everywhere if one["metric"] in metrics.classes and one["metric"] not in named]
    lines += [("", one) for one in more]
    attached = metrics.by_language.get(str(variant.document.get("language") or ""))
    if attached and attached not in {one["metric"] for _, one in lines}:
        lines.append(("", {"metric": attached}))
    return [
        MetricAssertion(metric=metrics.classes[one["metric"]], threshold=_threshold(variant, at, one))
        for at, one in lines
    ]


def _threshold(variant: ScenarioVariant, at: str, assertion: Mapping[str, Any]) -> float | None:
    unknown = next((key for key in assertion if key not in ("metric", "threshold")), None)
    if unknown is not None and at:
        raise variant.source.error(f"{at}/{unknown}", "a metric may have a threshold beside it")
    value = assertion.get("threshold")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        error = "must be a number from 0 to 1"
        raise variant.source.error(f"{at}/threshold", error) if at else ProjectError(error, pointer="/metrics")
    return float(value)
