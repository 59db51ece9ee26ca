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
_CELLS_AT_ONCE = 32_000  # 256 KB of drawn places: they stay in the processor's cache, which is four times as fast
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
    10 ms for 240 pairs.
    """
    return bootstrap_intervals([differences], seed=seed, resamples=resamples, confidence=confidence)[0]


def bootstrap_intervals(
    samples: Sequence[Sequence[float]], *, seed: int, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> list[tuple[float, float] | None]:
    """The interval of each; samples of one length share their draws, so that eleven cost little more than one."""
    intervals: list[tuple[float, float] | None] = [None] * len(samples)
    tail = (1 - confidence) / 2
    for n, places in _by_length(samples).items():
        if n >= NORMAL_FROM:
            for place in places:
                margin = -NormalDist().inv_cdf(tail) * standard_deviation(samples[place]) / sqrt(n)
                intervals[place] = fsum(samples[place]) / n - margin, fsum(samples[place]) / n + margin
        elif n >= 2:
            import numpy as np  # noqa: PLC0415 - 0.1 s and 20 MB, only where something is resampled

            means = _resampled([samples[place] for place in places], seed, resamples, _times_drawn) / n
            low, high = np.quantile(means, [tail, 1 - tail], axis=0)
            for column, place in enumerate(places):
                intervals[place] = float(low[column]), float(high[column])
    return intervals


def sign_flip_p(differences: Sequence[float], *, seed: int, resamples: int = RESAMPLES - 1) -> float | None:
    """Return how often chance alone gives a mean difference at least this far from 0, two-sided.

    Under "no difference" each pair could as well have come the other way round (Fisher, 1935). Every pattern of signs
    counts, exactly, for up to 32 differences that are not 0, else `resamples` are drawn and the seen one counts as one
    more; from a thousand pairs on the normal chance, which is the same then. None without pairs. 3 ms for 240 pairs.
    """
    return sign_flip_ps([differences], seed=seed, resamples=resamples)[0]


def sign_flip_ps(
    samples: Sequence[Sequence[float]], *, seed: int, resamples: int = RESAMPLES - 1
) -> list[float | None]:
    """Return the two-sided p-value of each sample; samples of one length share their random signs."""
    return _tails(samples, [-abs(fsum(sample)) for sample in samples], seed=seed, resamples=resamples, both=True)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test: of the cases that changed, how many changed each way.

    1 when none changed. Raises ValueError for negative counts.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("counts cannot be negative")
    n, fewer = only_first + only_second, min(only_first, only_second)
    return min(1.0, sum(comb(n, count) for count in range(fewer + 1)) / float(2 ** (n - 1))) if n else 1.0


def mcnemar_loss_p(lost: int, gained: int) -> float:
    """Return the exact one-sided p of McNemar's test.

    It says how often at least so many of the cases that changed are losses, when either way is as likely. 1 when none
    changed. Raises ValueError for negative counts.
    """
    if lost < 0 or gained < 0:
        raise ValueError("counts cannot be negative")
    n = lost + gained
    patterns: int = 2**n
    return sum(comb(n, count) for count in range(lost, n + 1)) / patterns  # of whole numbers: no overflow


def sign_flip_loss_p(differences: Sequence[float], *, seed: int, resamples: int = RESAMPLES - 1) -> float | None:
    """Return how often chance alone gives a mean at least as far down, one-sided.

    Method and cost are those of `sign_flip_p`. 1 where nothing differs, None without pairs.
    """
    return _tails([differences], [fsum(differences)], seed=seed, resamples=resamples)[0]


def _tails(
    samples: Sequence[Sequence[float]], seen: Sequence[float], *, seed: int, resamples: int, both: bool = False
) -> list[float | None]:
    """Return for each sample the share of sign patterns whose sum is at most the `seen` one.

    With `both` also the share of those as far above 0; the seen sum is below it then.
    """
    tails = [_counted_tail(one, limit, both=both) for one, limit in zip(samples, seen, strict=True)]
    drawn = [place for place, tail in enumerate(tails) if tail is None and samples[place]]
    for places in _by_length(samples, drawn).values():
        sums = _resampled([samples[place] for place in places], seed, resamples, _signs)
        for column, place in enumerate(places):
            far = -abs(sums[:, column]) if both else sums[:, column]
            tails[place] = (int((far <= seen[place] + _tie(samples[place])).sum()) + 1) / (resamples + 1)
    return tails


def _counted_tail(differences: Sequence[float], seen: float, *, both: bool) -> float | None:
    """Compute the share without a draw: all patterns of few, the normal tail of many.

    None for samples that need a draw, and without pairs. A difference of 0 has no sign, and is in no pattern.
    """
    moved = [difference for difference in differences if difference]
    if not moved or (both and -seen <= _tie(differences)):
        return 1.0 if differences else None
    if len(differences) >= NORMAL_FROM:
        spread = sqrt(fsum(difference**2 for difference in moved))  # of the sum, when signs are coins
        return (1 + both) * NormalDist().cdf(seen / spread)
    n = len(moved)
    if n > _EXACT_UP_TO:
        return None
    import numpy as np  # noqa: PLC0415 - see above

    values = np.asarray(moved, dtype=float)
    first, second = (_signed_sums(half) for half in (values[: n // 2], values[n // 2 :]))
    count = int(np.searchsorted(np.sort(second), seen + _tie(moved) - first, side="right").sum())
    return (1 + both) * count / float(2**n)


def _signed_sums(values: Any) -> Any:
    """The sums of n numbers under all 2^n patterns of signs."""
    import numpy as np  # noqa: PLC0415 - see above

    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return sums


def _tie(differences: Sequence[float]) -> float:
    """Return how far apart two sums may lie and still count as equal."""
    return _TIE * len(differences) * max(1.0, *(abs(difference) for difference in differences))


def holm(chances: Sequence[float | None]) -> list[float | None]:
    """Adjust p values for having asked several questions (Holm, 1979). None stays None, uncounted."""
    known = sorted((chance, place) for place, chance in enumerate(chances) if chance is not None)
    adjusted: list[float | None] = [None] * len(chances)
    largest = 0.0
    for rank, (chance, place) in enumerate(known):
        largest = max(largest, min(1.0, chance * (len(known) - rank)))
        adjusted[place] = largest
    return adjusted


def pairs_needed(differences: Sequence[float], *, effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return how many pairs it takes to see a mean difference of `effect` with this power.

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
    """The standard deviation of a sample (n - 1). Raises ValueError below two values."""
    if len(values) < 2:
        raise ValueError("a spread takes two values")
    centre = fsum(values) / len(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def _by_length(samples: Sequence[Sequence[float]], places: Iterable[int] | None = None) -> dict[int, list[int]]:
    """The places of the samples (of all) by how many values they have."""
    lengths: dict[int, list[int]] = {}
    for place in range(len(samples)) if places is None else places:
        lengths.setdefault(len(samples[place]), []).append(place)
    return lengths


def _resampled(
    samples: Sequence[Sequence[float]], seed: int, resamples: int, weights: Callable[[Any, int, int], Any]
) -> Any:
    """Return the sums of samples of one length, one column each, under `resamples` rows of drawn weights.

    The weights are drawn in blocks that fit into memory, once for all columns.
    """
    import numpy as np  # noqa: PLC0415 - see above

    generator, values = np.random.default_rng(seed), np.asarray(samples, dtype=float).T
    n = len(values)
    block = max(1, _CELLS_AT_ONCE // n)
    sizes = [min(block, resamples - start) for start in range(0, resamples, block)]
    return np.concatenate([np.einsum("ij,jk->ik", weights(generator, size, n), values) for size in sizes])


def _times_drawn(generator: Any, rows: int, n: int) -> Any:
    """Count how often each of n places comes when n are drawn with replacement."""
    import numpy as np  # noqa: PLC0415 - see above

    places = generator.integers(0, n, (rows, n)) + np.arange(0, rows * n, n)[:, None]
    return np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


def _signs(generator: Any, rows: int, n: int) -> Any:
    """-1 or 1, each a coin."""
    import numpy as np  # noqa: PLC0415 - see above

    coins = np.frombuffer(generator.bytes(rows * -(-n // 8)), dtype=np.uint8).reshape(rows, -1)
    return np.unpackbits(coins, axis=1, count=n) * 2.0 - 1.0
