"""Tell whether a mean moved, from scores before and after, tested as often as one likes.

The confidence sequence of the mixture test (sequential.py), two-sided. Looked at after every new pair, a fixed 99 %
normal interval calls a shift that is not there in 5 to 12 % of series of 300; this one in 0.3 % at most. Its price: a
shift of a point of pairs with a deviation of 1.5 takes 52 pairs instead of 13 against a hundred before
(docs/proofs.md).
"""

from dataclasses import dataclass

from apps.statistics.sequential import ArmCell, half_width

LEVEL = 0.01  # of one comparison, over all its looks together
WORTH = 0.5  # points: a smaller shift is no reason to act; also the size that the mixture looks for
FEWEST = 8  # on each side
ROUNDING = 1 / 6  # the least variance believed: that of two scores rounded to whole points (Sheppard 1898)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """Shift of a mean in points, up or down, with its confidence sequence of 99 %.

    `sure`: zero is outside it, and the shift is half a point or more.
    """

    points: float
    interval: tuple[float, float]
    sure: bool


def shift_between(before: ArmCell, after: ArmCell) -> Shift | None:
    """Measure how far the mean moved.

    None with fewer than FEWEST on a side. Pure. Its variance is the larger of the pooled one and Welch's: pooled alone
    is too small where the smaller side varies more, Welch's alone where a handful happens to agree.
    """
    if min(before.n, after.n) < FEWEST:
        return None
    pooled = (before.deviations + after.deviations) / (before.n + after.n - 2)
    welch = sum(side.deviations / (side.n - 1) / side.n for side in (before, after))
    variance = max(welch, max(pooled, ROUNDING) * (1 / before.n + 1 / after.n))
    points, half = after.mean - before.mean, half_width(variance, WORTH, LEVEL)
    return Shift(points=points, interval=(points - half, points + half), sure=abs(points) >= max(WORTH, half))
