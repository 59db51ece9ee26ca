"""The trend as the judge of the baseline would have given it, where the anchors show that the judge moved. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from apps.production.sampling.domain.anchor_test import JudgedShift, corrected
from apps.production.sampling.domain.production_trend import CorrectedScore, ProductionPoint


def with_corrections(
    points: Iterable[ProductionPoint], shifts: Sequence[tuple[datetime, JudgedShift]]
) -> list[ProductionPoint]:
    """Each point with what it would have been before the judge moved. `shifts` are the weeks of the anchors, oldest
    first, of the score that the points are of: a point goes by the newest week that ended before the point did, and is
    left as it is where that week claims no move. The interval holds the shift's own uncertainty."""
    return [_corrected(point, shifts) for point in points]


def _corrected(point: ProductionPoint, shifts: Sequence[tuple[datetime, JudgedShift]]) -> ProductionPoint:
    known = [shift for ended_at, shift in shifts if ended_at <= point.until]
    if not known or not known[-1].shown or point.score is None or point.variance is None:
        return point
    score, low, high = corrected(point.score, point.variance, known[-1])
    return replace(point, corrected=CorrectedScore(score=score, low=low, high=high, shift=known[-1].value))
