"""Scores over time as a drawing: one line for each judge, because scores of different judges are no one line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

WIDE, HIGH = 600, 120  # units of the drawing
PADDING = 0.4  # points of score above and below what is drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """One evaluation: its mean, 95 % interval and who judged (`judge` is the fingerprint and the config's version)."""

    id: UUID
    name: str
    at: datetime
    score: float
    interval: tuple[float, float] | None
    judge: str
    config: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    point: TrendPoint
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendLine:
    """One judge's stretch: dots, the line through them and the band of their intervals, as SVG points."""

    dots: Sequence[Dot]
    path: str
    band: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """`breaks` are where the judge changed; `mark_y` is the pass mark, `low` and `high` the scores at both edges."""

    lines: Sequence[TrendLine]
    breaks: Sequence[float]
    mark: float
    mark_y: float
    low: float
    high: float


def trend(points: Sequence[TrendPoint], *, mark: float) -> Trend | None:
    """The drawing, oldest first; None below two points, which are no trend. Pure."""
    if len(points) < 2:
        return None
    ends = [end for point in points for end in (point.interval or (point.score, point.score))]
    low = max(0.0, min(*ends, mark) - PADDING)
    high = min(10.0, max(*ends, mark) + PADDING)
    step = WIDE / len(points)

    def y(score: float) -> float:
        return round(HIGH * (high - score) / (high - low), 1)

    dots = [Dot(point=point, x=round(step * (at + 0.5), 1), y=y(point.score)) for at, point in enumerate(points)]
    lines: list[TrendLine] = []
    breaks = []
    for _, group in groupby(dots, key=lambda dot: dot.point.judge):
        stretch = list(group)
        if lines:
            breaks.append(round(stretch[0].x - step / 2, 1))
        edges = [(dot.x, dot.point.interval or (dot.point.score, dot.point.score)) for dot in stretch]
        upper = [f"{x},{y(interval[1])}" for x, interval in edges]
        lower = [f"{x},{y(interval[0])}" for x, interval in reversed(edges)]
        path = " ".join(f"{dot.x},{dot.y}" for dot in stretch)
        lines.append(TrendLine(dots=stretch, path=path, band=" ".join((*upper, *lower))))
    return Trend(lines=lines, breaks=breaks, mark=mark, mark_y=y(mark), low=low, high=high)
