"""Wilson's limits of a proportion, the quantiles of Student's t and the interval of a mean, without scipy."""

from math import fsum, pi, sqrt, tan
from statistics import NormalDist


def wilson(count: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a proportion by Wilson (1927): never empty, never outside 0 to 1, and it holds count / n.

    Raises ValueError unless 0 <= count <= n and n >= 1.
    """
    if not 0 <= count <= n or n < 1:
        raise ValueError(f"{count} of {n} cannot be")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (count + z * z / 2) / (n + z * z)
    half = z * sqrt(count * (n - count) / n + z * z / 4) / (n + z * z)
    return max(0.0, min(centre - half, count / n)), min(1.0, max(centre + half, count / n))


def mean_interval(mean: float, deviation: float, n: int, *, low: float, high: float) -> tuple[float, float]:
    """The 95 % interval of a mean by Student's t with n - 1 degrees of freedom (Student 1908), cut to the scale.

    `deviation` is the sample's standard deviation. Raises ValueError below two values.
    """
    margin = student_t(0.975, n - 1) * deviation / sqrt(n)
    return max(low, mean - margin), min(high, mean + margin)


def student_t(share: float, degrees: float) -> float:
    """Return the quantile of Student's t: exact for 1 and 2 degrees of freedom.

    Else it is the expansion of Fisher and Cornish (1960), good to 0.5 % from 3 up for the tails used here. Raises
    ValueError below 1.
    """
    if degrees < 1:
        raise ValueError("a spread takes at least one degree of freedom")
    if degrees == 1:
        return tan(pi * (share - 0.5))
    if degrees == 2:
        return (2 * share - 1) * sqrt(2 / (1 - (2 * share - 1) ** 2))
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + fsum(term / degrees ** (power + 1) for power, term in enumerate(terms))
