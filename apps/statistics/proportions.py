"""How far two proportions of separate samples are apart."""

from math import hypot

from apps.statistics.quantiles import wilson


def difference_interval(
    count: int, n: int, other_count: int, other_n: int, *, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of count / n - other_count / other_n: Newcombe's hybrid of Wilson limits (1998, method 10).

    Never outside -1 to 1. Raises ValueError for counts that cannot be.
    """
    share, other = count / max(n, 1), other_count / max(other_n, 1)
    low, high = wilson(count, n, confidence=confidence)
    other_low, other_high = wilson(other_count, other_n, confidence=confidence)
    difference = share - other
    return (
        max(-1.0, difference - hypot(share - low, other_high - other)),
        min(1.0, difference + hypot(high - share, other - other_low)),
    )
