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
_EXACT_UP_TO = 14  # 2^14 sign patterns are counted out; beyond that they are sampled
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

    Under "no difference" each pair could as well have come the other way round (Fisher, 1935): every pattern of signs
    is counted for up to 14 pairs, else `resamples` are drawn and the seen one counts as one more; from a thousand pairs
    on the normal chance, which is the same then. None without pairs.
    """
    if not differences:
        return None
    if len(differences) >= NORMAL_FROM:
        spread = sqrt(fsum(difference**2 for difference in differences))  # of the sum, when signs are coins
        return 2 * (1 - NormalDist().cdf(abs(fsum(differences)) / spread)) if spread else 1.0
    import numpy as np  # noqa: PLC0415 - see above

    values = np.asarray(differences, dtype=float)
    n = len(values)
    seen = abs(float(values.mean())) - _TIE * max(1.0, float(np.abs(values).max()))
    if n <= _EXACT_UP_TO:
        patterns = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        means = ((2 * patterns - 1) * values).mean(axis=1)
        return float((np.abs(means) >= seen).mean())
    flipped = _resampled(n, seed, resamples, lambda generator, rows: values * (2 * generator.integers(0, 2, rows) - 1))
    return (int((np.abs(flipped) >= seen).sum()) + 1) / (resamples + 1)


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
    """How often chance alone gives a mean at least as far below 0: half of `sign_flip_p`, for every pattern of signs is
    as likely as its mirror. None without pairs; cost as there."""
    both = sign_flip_p(differences, seed=seed, resamples=resamples)
    if both is None:
        return None
    return both / 2 if fsum(differences) < 0 else 1 - both / 2


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
