"""The interval that belongs to the sign-flip test: every shift of a mean that the test does not refuse.

A sentence ("better") and the interval beside it are the same computation here, so they cannot disagree; the percentile
bootstrap covers 89 % instead of 95 % at 12 clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import Any

_EXACT_UP_TO = 32  # clusters: 2^16 sums of either half, 1.2 s; 24 take 30 ms
_DRAWN = 9_999  # subsets drawn above that; what was seen counts as one more
_HALVINGS = 60
_EDGE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipBounds:
    """Both one-sided bounds of a mean difference at the same level, so an interval of confidence 1 - 2 · level. A bound
    that so few clusters cannot give is infinite."""

    low: float
    high: float
    level: float

    @property
    def confidence(self) -> float:
        return 1 - 2 * self.level


def flip_bounds(
    differences: Sequence[float], *, level: float, seed: int, exact_up_to: int = _EXACT_UP_TO
) -> FlipBounds:
    """Return the bounds of the mean, from one difference for each cluster, in the differences' own unit.

    A set of flipped signs beats the data at a shift of x where the mean of that set is at most x. A bound is therefore
    an order statistic of the means of all subsets (Hartigan, 1969).

    It is exact for up to 32 clusters. Beyond, it uses 9,999 subsets drawn with `seed`, which is as valid. A caller that
    asks about many cells of a matrix gives a lower `exact_up_to`. Differences are taken as symmetric about their mean:
    with an exponential tail of losses, a level of .025 is in truth .06 at 12 clusters and .04 at 40.

    Raises ValueError for a level outside (0, 0.5), or without clusters. Costs 2 x 30 ms at 24 clusters, 2 x 1.2 s at
    32.
    """
    if not 0 < level < 0.5:
        raise ValueError(f"level must lie between 0 and 0.5, not {level}")
    if not differences:
        raise ValueError("bounds take at least one difference")
    return FlipBounds(
        low=_lower(differences, level, seed, exact_up_to),
        high=-_lower([-difference for difference in differences], level, seed, exact_up_to),
        level=level,
    )


def _lower(differences: Sequence[float], level: float, seed: int, exact_up_to: int) -> float:
    import numpy as np  # noqa: PLC0415 - 0.1 s and 20 MB, only where an interval is asked for

    values = np.asarray(differences, dtype=float)
    if len(values) > min(exact_up_to, _EXACT_UP_TO):
        return _lower_of_drawn(values, level, seed)
    rank = floor(level * 2 ** len(values) + _EDGE)
    if rank < 1:
        return -inf
    half = len(values) // 2
    (first_sums, first_counts), (second_sums, second_counts) = _subsets(values[:half]), _subsets(values[half:])
    low, high = float(values.min()) - _EDGE, float(values.max()) + _EDGE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        ordered = np.sort(second_sums - middle * second_counts)
        at_most = int(np.searchsorted(ordered, middle * first_counts - first_sums, "right").sum()) - 1  # the empty set
        low, high = (low, middle) if at_most >= rank else (middle, high)
    return high


def _subsets(values: Any) -> tuple[Any, Any]:
    """Sum and size of each of the 2^n subsets."""
    import numpy as np  # noqa: PLC0415 - see above

    sums, counts = np.zeros(1), np.zeros(1)
    for value in values:
        sums, counts = np.concatenate([sums, sums + value]), np.concatenate([counts, counts + 1])
    return sums, counts


def _lower_of_drawn(values: Any, level: float, seed: int) -> float:
    import numpy as np  # noqa: PLC0415 - see above

    rank = floor((_DRAWN + 1) * level + _EDGE)
    if rank < 1:
        return -inf
    chosen = np.random.default_rng(seed).integers(0, 2, (_DRAWN, len(values)), dtype=np.int8)
    sizes = chosen.sum(axis=1)
    means = np.where(sizes > 0, chosen @ values / np.maximum(sizes, 1), -inf)
    return float(np.partition(means, rank - 1)[rank - 1])
