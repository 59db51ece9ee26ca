"""Measure how far two proportions of separate samples are apart, and how rare that is."""

from functools import lru_cache
from math import comb, fsum, hypot

from apps.statistics.quantiles import wilson

_GRID, _TIE = 200, 1e-12


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


@lru_cache(maxsize=1000)
def higher_by_chance_p(count: int, n: int, other_count: int, other_n: int) -> float:
    """Return the one-sided p-value that `count` of `n` is a higher share than `other_count` of `other_n`.

    It is the largest probability, over all shares that both samples may have in common, of a difference at least as
    extreme: Boschloo's exact test (1970). 1 where a sample is empty. Cached: 0.1 ms for samples of five.
    """
    tables = [(i, j) for i in range(n + 1) for j in range(other_n + 1)]
    seen = _fisher_p(count, n, other_count, other_n) + _TIE
    extreme = [(i, j) for i, j in tables if _fisher_p(i, n, j, other_n) <= seen]
    ways = [(comb(n, i) * comb(other_n, j), i + j) for i, j in extreme]
    shares = (at / _GRID for at in range(_GRID + 1))
    return max(fsum(many * p**hits * (1 - p) ** (n + other_n - hits) for many, hits in ways) for p in shares)


def _fisher_p(count: int, n: int, other_count: int, other_n: int) -> float:
    hits = count + other_count
    tail = sum(comb(n, i) * comb(other_n, hits - i) for i in range(count, min(n, hits) + 1))
    return tail / comb(n + other_n, hits)
