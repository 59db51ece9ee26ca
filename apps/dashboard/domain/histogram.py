"""Draw how often each score was given, in the units of an 88 × 22 drawing."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 8, 22  # of one bar with its gap, of the highest


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One score's bar. An empty one is still a line, so that eleven places are seen."""

    x: int
    y: float
    height: float
    passes: bool
    count: int
    score: int


def bars_of(counts: Sequence[int], mark: float) -> list[Bar]:
    """A bar for each of the scores 0, 1, … from how often it was given."""
    top = max(counts, default=0)
    bars = []
    for score, count in enumerate(counts):
        height = max(1.0, HEIGHT * count / top) if top else 1.0
        bars.append(
            Bar(x=score * WIDTH, y=HEIGHT - height, height=height, passes=score >= mark, count=count, score=score)
        )
    return bars
