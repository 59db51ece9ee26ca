"""Percentile bootstrap over items: how far a kappa may lie from what these conversations happened to show."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import accumulate
from math import fsum
from random import Random
from typing import Literal

Cell = tuple[int, int]


def kappa_interval(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    *,
    weights: Literal["linear", "quadratic"] | None,
    labels: Sequence[Hashable],
    resamples: int,
    seed: int,
    confidence: float = 0.95,
) -> tuple[float, float] | None:
    """The interval of Cohen's kappa, resampling items (both ratings together). No rating may be missing.

    Resamples in which kappa is undefined are left out; None when more than half of them are. Same seed, same interval.
    """
    place = {label: number for number, label in enumerate(labels)}
    table = Counter((place[x], place[y]) for x, y in zip(a, b, strict=True))
    if not table:
        return None
    cells = sorted(table)
    totals = list(accumulate(table[cell] for cell in cells))
    chance = Random(seed)
    resampled = sorted(
        kappa
        for _ in range(resamples)
        if (kappa := _kappa(Counter(chance.choices(cells, cum_weights=totals, k=len(a))), weights)) is not None
    )
    if len(resampled) * 2 < resamples or not resampled:
        return None
    tail = (1 - confidence) / 2
    return _quantile(resampled, tail), _quantile(resampled, 1 - tail)


def _kappa(table: Mapping[Cell, int], weights: str | None) -> float | None:
    n = sum(table.values())
    rows: Counter[int] = Counter()
    columns: Counter[int] = Counter()
    for (row, column), count in table.items():
        rows[row] += count
        columns[column] += count
    observed = fsum(_distance(i, j, weights) * count for (i, j), count in table.items()) / n
    expected = fsum(_distance(i, j, weights) * x * y for i, x in rows.items() for j, y in columns.items()) / n**2
    return None if expected == 0 else 1 - observed / expected


def _distance(i: int, j: int, weights: str | None) -> float:
    if weights is None:
        return float(i != j)
    return float(abs(i - j)) if weights == "linear" else float((i - j) ** 2)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between the two nearest, as numpy's default."""
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)
