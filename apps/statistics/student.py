"""Student's t without scipy, for any real number of degrees of freedom.

It has the chance of a value that far out, and the value of a chance.
"""

from math import exp, lgamma, log, log1p


def two_sided_p(t: float, degrees: float) -> float:
    """Return the chance of a value at least as far from 0 as `t` (Student 1908).

    It is the regularised incomplete beta function I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t²). Good to some
    1e-12. Raises ValueError for no degrees.
    """
    if degrees <= 0:
        raise ValueError("a spread takes degrees of freedom")
    square = t * t
    return _incomplete_beta(degrees / (degrees + square), square / (degrees + square), degrees / 2, 0.5)


def critical_t(level: float, degrees: float) -> float:
    """Return how far out a value must be for a two-sided chance of `level`, by halving.

    Raises ValueError outside 0 to 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level}")
    low, high = 0.0, 1.0
    while two_sided_p(high, degrees) > level:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p(middle, degrees) > level else (low, middle)
    return high


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """I_x(a, b), `rest` being 1 - x without loss; from whichever end its continued fraction converges faster."""
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * (log1p(-x) if x < 0.5 else log(rest)))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1.0 - front * _fraction(rest, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (1976)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    whole = d
    for m in range(1, 500):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + factor * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + factor / c
            c = c if abs(c) > tiny else tiny
            whole *= d * c
        if abs(d * c - 1.0) < 1e-15:
            break
    return whole
