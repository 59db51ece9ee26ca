"""Draw scores over time: one line for each kind of run and judge.

Scores of different judges, or of battles and replays, are no one line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from uuid import UUID

WIDE, HIGH = 600, 120  # units of the drawing
LETTER = 12  # units that a number of the axis is high
_LEAST_APART = 0.25  # of an even step: what was judged at once is still several dots
PADDING = 0.4  # points of score above and below what is drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """One evaluation, or a stretch of time: its mean, 95 % interval, the kind of run, and who judged (`judge` is the
    fingerprint and the config's version). `address` is where it leads, "" for an evaluation's own page. `stretch`
    counts from 0 how often a line ended for want of scores."""

    id: UUID
    name: str
    at: datetime
    score: float
    interval: tuple[float, float] | None
    judge: str
    config: str
    kind: str = ""
    address: str = ""
    stretch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    point: TrendPoint
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendLine:
    """One judge's stretch of one kind of run: dots, the line through them and the band of their intervals, as SVG
    points. `style` counts kinds from 0: each is drawn in its own way."""

    kind: str
    style: int
    dots: Sequence[Dot]
    path: str
    band: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """Drawing of a trend.

    `kinds` are in the order of their styles; `breaks` are where the judge of a kind changed; `mark_y` is the pass mark,
    `low` and `high` the scores at both edges.
    """

    lines: Sequence[TrendLine]
    kinds: Sequence[str]
    breaks: Sequence[float]
    mark: float
    mark_y: float
    low: float
    high: float

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The places and numbers of the axis, inside the drawing: both edges, and the mark unless it is on one."""
        edges = [(LETTER / 2, self.high), (HIGH - LETTER / 2, self.low)]
        apart = [(y, score) for y, score in edges if abs(y - self.mark_y) >= LETTER]
        return [(y, f"{score:.1f}") for y, score in [*apart, (self.mark_y, self.mark)]]


def trend(
    points: Sequence[TrendPoint], *, mark: float, bounds: tuple[float, float] = (0.0, 10.0), padding: float = PADDING
) -> Trend | None:
    """The drawing, oldest first, never beyond `bounds`; None below two points, which are no trend. Pure."""
    if len(points) < 2:
        return None
    ends = [end for point in points for end in (point.interval or (point.score, point.score))]
    low = max(bounds[0], min(*ends, mark) - padding)
    high = min(bounds[1], max(*ends, mark) + padding)
    places = _places([point.at for point in points])

    def y(score: float) -> float:
        return round(HIGH * (high - score) / (high - low), 1)

    dots = [Dot(point=point, x=x, y=y(point.score)) for x, point in zip(places, points, strict=True)]
    kinds = list(dict.fromkeys(point.kind for point in points))
    lines: list[TrendLine] = []
    breaks = []
    for style, kind in enumerate(kinds):
        stretches = [list(one) for _, one in groupby((dot for dot in dots if dot.point.kind == kind), key=_line_of)]
        breaks += [
            round((before[-1].x + after[0].x) / 2, 1)
            for before, after in pairwise(stretches)
            if before[0].point.judge != after[0].point.judge
        ]
        lines += [_line(kind, style, stretch, y) for stretch in stretches]
    return Trend(lines=lines, kinds=kinds, breaks=sorted(breaks), mark=mark, mark_y=y(mark), low=low, high=high)


def _places(times: Sequence[datetime]) -> list[float]:
    """Return the place of each of these times on the axis, oldest first.

    It is to scale, a quarter of an even step apart at least.
    """
    edge = WIDE / len(times) / 2
    total = (times[-1] - times[0]).total_seconds() or 1.0
    shares = [(after - before).total_seconds() / total for before, after in pairwise(times)]
    gaps = [max(share, _LEAST_APART / len(shares)) for share in shares]
    unit = (WIDE - 2 * edge) / sum(gaps)
    return [round(edge + unit * sum(gaps[:at]), 1) for at in range(len(times))]


def _line_of(dot: Dot) -> tuple[str, int]:
    return dot.point.judge, dot.point.stretch


def _line(kind: str, style: int, dots: Sequence[Dot], y: Callable[[float], float]) -> TrendLine:
    edges = [(dot.x, dot.point.interval or (dot.point.score, dot.point.score)) for dot in dots]
    upper = [f"{x},{y(interval[1])}" for x, interval in edges]
    lower = [f"{x},{y(interval[0])}" for x, interval in reversed(edges)]
    path = " ".join(f"{dot.x},{dot.y}" for dot in dots)
    return TrendLine(kind=kind, style=style, dots=dots, path=path, band=" ".join((*upper, *lower)))
