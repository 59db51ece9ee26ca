"""Differences between two measurements of the same cases: interval, chance and how many more cases it would take.

A case is a cluster: several trials of one case are averaged first, for they are not independent of each other. Whoever
calls gives the seed, so the same rows give the same interval.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import ceil, comb, fsum, sqrt
from statistics import NormalDist
from typing import Any

RESAMPLES = 10_000
CONFIDENCE = 0.95
NORMAL_FROM = 1_000  # pairs: from here on the mean is normal to three digits, and resampling buys nothing
_EXACT_UP_TO = 32  # differences that are not 0: their 2^32 sign patterns are counted out as 2^16 sums of either half
_CELLS_AT_ONCE = 2_000_000  # 16 MB of drawn places
_TIE = 1e-12


def by_cluster(trials: Iterable[tuple[Hashable, float]]) -> dict[Hashable, float]:
    """The mean of every cluster's trials, in order of first appearance."""
    values: dict[Hashable, list[float]] = {}
    for cluster, value in trials:
        values.setdefault(cluster, []).append(value)
    return {cluster: fsum(many) / len(many) for cluster, many in values.items()}


def bootstrap_interval(
    differences: Sequence[float], *, seed: int, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """The percentile interval of the mean difference: whole pairs are drawn again with replacement (Efron, 1979).

    From a thousand pairs on the normal one, which is the same then. None below two pairs. Costs n x resamples draws:
    0.1 s for 500 pairs.
    """
    n = len(differences)
    if n < 2:
        return None
    if n >= NORMAL_FROM:
        margin = NormalDist().inv_cdf((1 + confidence) / 2) * standard_deviation(differences) / sqrt(n)
        return fsum(differences) / n - margin, fsum(differences) / n + margin
    import numpy as np  # noqa: PLC0415 - 0.1 s and 20 MB, only where something is resampled

    values = np.asarray(differences, dtype=float)
    means = _resampled(
        len(values), seed, resamples, lambda generator, rows: values[generator.integers(0, len(values), rows)]
    )
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def sign_flip_p(differences: Sequence[float], *, seed: int, resamples: int = RESAMPLES - 1) -> float | None:
    """How often chance alone gives a mean difference at least this far from 0, two-sided.

    Under "no difference" each pair could as well have come the other way round (Fisher, 1935). Every pattern of signs
    counts, exactly, for up to 32 differences that are not 0, else `resamples` are drawn and the seen one counts as one
    more; from a thousand pairs on the normal chance, which is the same then. None without pairs. Costs 20 ms at most.
    """
    if not differences:
        return None
    far = abs(fsum(differences))
    return 1.0 if far <= _tie(differences) else _tail(differences, -far, seed=seed, resamples=resamples, both=True)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test: of the cases that changed, how many changed each way.

    1 when none changed. Raises ValueError for negative counts.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("counts cannot be negative")
    n, fewer = only_first + only_second, min(only_first, only_second)
    return min(1.0, sum(comb(n, count) for count in range(fewer + 1)) / float(2 ** (n - 1))) if n else 1.0


def mcnemar_loss_p(lost: int, gained: int) -> float:
    """The exact one-sided p of McNemar's test: how often at least so many of the cases that changed are losses, when
    either way is as likely. 1 when none changed. Raises ValueError for negative counts."""
    if lost < 0 or gained < 0:
        raise ValueError("counts cannot be negative")
    n = lost + gained
    patterns: int = 2**n
    return sum(comb(n, count) for count in range(lost, n + 1)) / patterns  # of whole numbers: no overflow


def sign_flip_loss_p(differences: Sequence[float], *, seed: int, resamples: int = RESAMPLES - 1) -> float | None:
    """How often chance alone gives a mean at least as far down, one-sided; method and cost of `sign_flip_p`. 1 where
    nothing differs, None without pairs."""
    if not differences:
        return None
    return _tail(differences, fsum(differences), seed=seed, resamples=resamples)


def _tail(differences: Sequence[float], seen: float, *, seed: int, resamples: int, both: bool = False) -> float:
    """The share of sign patterns whose sum is `seen` or less; with `both` also of those as far above 0, `seen` being
    below it. A difference of 0 has no sign, and is in no pattern."""
    moved = [difference for difference in differences if difference]
    if not moved:
        return 1.0
    if len(differences) >= NORMAL_FROM:
        spread = sqrt(fsum(difference**2 for difference in moved))  # of the sum, when signs are coins
        return (1 + both) * NormalDist().cdf(seen / spread)
    import numpy as np  # noqa: PLC0415 - see above

    limit, values = seen + _tie(moved), np.asarray(moved, dtype=float)
    n = len(values)
    if n <= _EXACT_UP_TO:
        first, second = (_signed_sums(half) for half in (values[: n // 2], values[n // 2 :]))
        count = int(np.searchsorted(np.sort(second), limit - first, side="right").sum())
        return (1 + both) * count / float(2**n)
    means = _resampled(n, seed, resamples, lambda generator, rows: values * (2 * generator.integers(0, 2, rows) - 1))
    drawn = -np.abs(means * n) if both else means * n
    return (int((drawn <= limit).sum()) + 1) / (resamples + 1)


def _signed_sums(values: Any) -> Any:
    """The sums of n numbers under all 2^n patterns of signs."""
    import numpy as np  # noqa: PLC0415 - see above

    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return sums


def _tie(differences: Sequence[float]) -> float:
    """How far apart two sums may lie and be the same."""
    return _TIE * len(differences) * max(1.0, *(abs(difference) for difference in differences))


def holm(chances: Sequence[float | None]) -> list[float | None]:
    """The same p values, adjusted for having asked several questions (Holm, 1979). None stays None, uncounted."""
    known = sorted((chance, place) for place, chance in enumerate(chances) if chance is not None)
    adjusted: list[float | None] = [None] * len(chances)
    largest = 0.0
    for rank, (chance, place) in enumerate(known):
        largest = max(largest, min(1.0, chance * (len(known) - rank)))
        adjusted[place] = largest
    return adjusted


def pairs_needed(differences: Sequence[float], *, effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many pairs it takes to see a mean difference of `effect` with this power, judging by the spread seen so far.

    ((z(1 - alpha/2) + z(power)) · sd / effect)², the normal approximation of the paired t test. None below two pairs.
    Raises ValueError for an effect that is not above 0.
    """
    if effect <= 0:
        raise ValueError(f"effect must be above 0, not {effect}")
    if len(differences) < 2:
        return None
    normal = NormalDist()
    factor = (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * standard_deviation(differences) / effect
    return max(2, ceil(factor**2))


def standard_deviation(values: Sequence[float]) -> float:
    """Of a sample (n - 1). Raises ValueError below two values."""
    if len(values) < 2:
        raise ValueError("a spread takes two values")
    centre = fsum(values) / len(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def _resampled(n: int, seed: int, resamples: int, draw: Callable[[Any, tuple[int, int]], Any]) -> Any:
    """The means of `resamples` drawn rows of n values each, drawn in blocks that fit into memory."""
    import numpy as np  # noqa: PLC0415 - see above

    generator = np.random.default_rng(seed)
    block = max(1, _CELLS_AT_ONCE // n)
    sizes = [min(block, resamples - start) for start in range(0, resamples, block)]
    return np.concatenate([draw(generator, (size, n)).mean(axis=1) for size in sizes])
