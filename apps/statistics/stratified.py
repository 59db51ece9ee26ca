"""The mean of a stratified sample, weighted back to all that it was drawn from, and how sure it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from apps.statistics.student import critical_t

TOO_WIDE = 0.5  # a half-width above this tells nothing: some 35 judged are needed
HEAVY = 0.05  # a stratum of this share of all that holds no score leaves the mean open
MIN_OF_OWN = 5  # scores from which a stratum has a spread of its own


@dataclass(frozen=True, slots=True)
class SampledStratum:
    """Stratum of `population` settled conversations, with the scores of those that were sampled."""

    population: int
    scores: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedMean:
    """Stratified estimate of a mean.

    `half_width` is of the 95 % interval, None where no spread is known. `too_few`: the mean must not be shown as one,
    since its interval is too wide, or a heavy stratum is empty.
    """

    mean: float
    variance: float
    degrees: float
    half_width: float | None
    scored: int
    population: int
    too_few: bool


def stratified_mean(strata: Sequence[SampledStratum]) -> StratifiedMean | None:
    """Σ W_h ȳ_h with W_h = N_h / N; variance Σ W_h² s_h² / n_h; degrees of freedom by Satterthwaite (1946). None
    without a score. Pure.

    A stratum with fewer than MIN_OF_OWN scores takes the spread pooled over all strata. No correction for a finite
    population: the mean stands for the customers to come. Light strata without a score are left out of the weights.
    """
    scored = [stratum for stratum in strata if stratum.scores]
    weight = sum(stratum.population for stratum in scored)
    if not scored or not weight:
        return None
    total = sum(stratum.population for stratum in strata)
    pooled = _pooled_variance(scored)
    mean, parts, unknown = 0.0, list[tuple[float, int]](), False
    for stratum in scored:
        share, n = stratum.population / weight, len(stratum.scores)
        mean += share * fsum(stratum.scores) / n
        spread = _variance(stratum.scores) if n >= MIN_OF_OWN else pooled
        unknown = unknown or spread is None
        parts.append((share * share * (spread or 0.0) / n, n))
    variance = fsum(part for part, _ in parts)
    degrees = _degrees(parts, variance)
    half = None if unknown else critical_t(0.05, degrees) * sqrt(variance)
    empty = any(not stratum.scores and stratum.population >= HEAVY * total for stratum in strata)
    return StratifiedMean(
        mean=mean,
        variance=variance,
        degrees=degrees,
        half_width=half,
        scored=sum(len(stratum.scores) for stratum in scored),
        population=total,
        too_few=empty or half is None or half > TOO_WIDE,
    )


def _degrees(parts: Sequence[tuple[float, int]], variance: float) -> float:
    below = fsum(part * part / max(1, n - 1) for part, n in parts)
    return variance * variance / below if below else float(max(1, sum(n for _, n in parts) - len(parts)))


def _variance(values: Sequence[float]) -> float:
    middle = fsum(values) / len(values)
    return fsum((value - middle) ** 2 for value in values) / (len(values) - 1)


def _pooled_variance(strata: Sequence[SampledStratum]) -> float | None:
    """Within strata; where each has one score, over all of them; None below two scores."""
    degrees = sum(len(stratum.scores) - 1 for stratum in strata)
    if degrees:
        squares = fsum(
            _variance(stratum.scores) * (len(stratum.scores) - 1) for stratum in strata if len(stratum.scores) > 1
        )
        return squares / degrees
    scores = [score for stratum in strata for score in stratum.scores]
    return _variance(scores) if len(scores) > 1 else None
