"""Moderated t tests: several samples are measured in one way; each variance borrows from the others.

See Smyth 2004, Statistical Applications in Genetics and Molecular Biology 3(1), article 3, section 6.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, log, sqrt

from apps.statistics.quantiles import student_t
from apps.statistics.student import two_sided_p

_ALIKE = 1e6  # degrees of freedom that stand for "all variances are one"


@dataclass(frozen=True, slots=True)
class VariancePrior:
    """The common variance of the samples, and the degrees of freedom that it is worth.
    A test never uses more than `most`, the degrees of all samples together."""

    variance: float
    degrees: float
    most: float


@dataclass(frozen=True, slots=True)
class ModeratedMean:
    """A mean with the standard error and the degrees of freedom of its moderated variance."""

    mean: float
    error: float
    degrees: float

    @property
    def loss_p(self) -> float:
        """The one-sided chance of a mean at least as far down."""
        tail = two_sided_p(self.mean / self.error, self.degrees) / 2
        return tail if self.mean < 0 else 1.0 - tail

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        margin = student_t((1 + confidence) / 2, self.degrees) * self.error
        return self.mean - margin, self.mean + margin


def variance_prior(variances: Sequence[tuple[float, int]], *, most: float = inf) -> VariancePrior | None:
    """Estimate the prior from (variance, degrees of freedom) of each sample, by the moments of log F.

    None where none has any spread. Pure arithmetic, a microsecond a sample.
    """
    spread = [(variance, degrees) for variance, degrees in variances if variance > 0.0 and degrees > 0]
    if not spread:
        return None
    logs = [log(variance) - _digamma(degrees / 2) + log(degrees / 2) for variance, degrees in spread]
    middle = fsum(logs) / len(logs)
    noise = fsum(_trigamma(degrees / 2) for _, degrees in spread) / len(spread)
    between = fsum((one - middle) ** 2 for one in logs) / (len(logs) - 1) - noise if len(logs) > 1 else 0.0
    if between <= 0.0:
        pooled = fsum(one * degrees for one, degrees in spread) / sum(degrees for _, degrees in spread)
        return VariancePrior(pooled, _ALIKE, most)
    degrees = 2 * _inverse_trigamma(between)
    return VariancePrior(exp(middle + _digamma(degrees / 2) - log(degrees / 2)), degrees, most)


def moderated_mean(values: Sequence[float], prior: VariancePrior) -> ModeratedMean:
    """Return the mean with a standard error that is moderated by the prior. Raises ValueError below two values."""
    own = len(values) - 1
    if own < 1:
        raise ValueError("a spread takes two values")
    mean = fsum(values) / len(values)
    squares = fsum((value - mean) ** 2 for value in values)
    variance = (prior.degrees * prior.variance + squares) / (prior.degrees + own)
    return ModeratedMean(mean, sqrt(variance / len(values)), min(prior.degrees + own, prior.most))


def _digamma(x: float) -> float:
    """Return the digamma function of x > 0, good to 1e-9.

    By recurrence to 6, then the asymptotic series (Abramowitz and Stegun 1964, 6.3.18).
    """
    below = 0.0
    while x < 6:
        below += 1 / x
        x += 1
    return log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6) + 1 / (240 * x**8) - below


def _trigamma(x: float) -> float:
    """Return the trigamma function of x > 0, computed as in `_digamma` (there 6.4.12)."""
    below = 0.0
    while x < 6:
        below += 1 / x**2
        x += 1
    return below + 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7) - 1 / (30 * x**9)


def _inverse_trigamma(y: float) -> float:
    """Return the x of which y is the trigamma function: by halving, between 1e-3 and 1e7."""
    low, high = 1e-3, 1e7
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if _trigamma(middle) > y else (low, middle)
    return sqrt(low * high)
