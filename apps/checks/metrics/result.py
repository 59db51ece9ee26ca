"""The result of measuring one conversation with one metric: the same shape for all metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from apps.checks.metrics.base import SCALE
from apps.statistics.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """Result of a metric. `score` and `threshold` are on `scale`; without a score, `error` (and `reason`) says why.

    `fingerprint` binds a judged score to the judge and every text it was
    told. `cached`: nobody was asked, the answer was kept; it cost nothing.

    Reasons and evidence carry the masking floor: they go into files and logs of pipelines.
    """

    conversation: str
    metric: str
    version: str
    threshold: float
    outcome: Decision
    scale: str = SCALE
    score: float | None = None
    error: str = ""
    reason: str = ""
    evidence: tuple[Mapping[str, Any], ...] = ()
    position: int | None = None
    share: float | None = None
    attached: bool = False
    judge: str = ""
    fingerprint: str = ""
    calls: int = 0
    cost_usd: Decimal | None = Decimal(0)
    cached: bool = False

    @property
    def passed(self) -> bool | None:
        """The result as a flag; None where nothing was measured."""
        return None if self.score is None else self.outcome is Decision.PASS

    def as_json(self) -> dict[str, Any]:
        fields = asdict(self)
        cost = None if self.cost_usd is None else float(self.cost_usd)
        return {**fields, "outcome": self.outcome.value, "passed": self.passed, "cost_usd": cost}


def summaries(results: Sequence[MetricResult]) -> list[dict[str, Any]]:
    """Sum results up by metric, in the order they come.

    A summary has counts of outcomes, and the mean of the scores, on their own scale.
    """
    lines = []
    for name in dict.fromkeys(result.metric for result in results):
        rows = [result for result in results if result.metric == name]
        scores = [row.score for row in rows if row.score is not None]
        counts = {outcome.value: sum(row.outcome is outcome for row in rows) for outcome in Decision}
        lines.append(
            {
                "metric": name,
                "version": rows[0].version,
                "scale": SCALE,
                "scored": len(scores),
                "mean": round(sum(scores) / len(scores), 6) if scores else None,
                **counts,
            }
        )
    return lines
