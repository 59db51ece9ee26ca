"""Several trials of one case: how likely all of k succeed, and how likely at least one does.

Trials that failed for reasons outside the agent are left out beforehand: n shrinks, they are no failures.
"""

from collections.abc import Sequence
from math import comb, fsum, sqrt

from apps.statistics.quantiles import student_t

MIN_SCENARIOS = 20  # from here on the interval holds the truth as often as it says (test_reliability)


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """pass^k = C(c, k) / C(n, k): the chance that k trials drawn from n all succeed, c of n having succeeded.

    Unbiased, unlike (c/n)^k. None where n < k. Raises ValueError unless 0 <= c <= n and k >= 1.
    """
    _check(n, c, k)
    return None if n < k else comb(c, k) / comb(n, k)


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """pass@k = 1 - C(n - c, k) / C(n, k): the chance that at least one of k trials drawn from n succeeds.

    None where n < k. Raises ValueError unless 0 <= c <= n and k >= 1.
    """
    _check(n, c, k)
    return None if n < k else 1 - comb(n - c, k) / comb(n, k)


def scenario_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of `values`, one of 0 to 1 for each scenario; None below MIN_SCENARIOS.

    Wilson's limits (1927) with Student's t, over the effective number of scenarios: as many coins as would spread like
    these values (Korn and Graubard 1998). Unlike the t interval it stays inside 0 to 1 and does not
    shrink to a point where all scenarios came out alike; then each counts as one coin. Raises ValueError for a value
    outside 0 to 1.
    """
    n = len(values)
    if any(not 0 <= value <= 1 for value in values):
        raise ValueError("a share is 0 to 1")
    if n < MIN_SCENARIOS:
        return None
    mean = min(1.0, fsum(values) / n)
    variance = fsum((value - mean) ** 2 for value in values) / n
    coins = n * mean * (1 - mean) / variance if max(values) - min(values) > 1e-6 else float(n)
    t = student_t(0.975, n - 1)
    centre = (mean + t * t / (2 * coins)) / (1 + t * t / coins)
    half = t / (1 + t * t / coins) * sqrt(mean * (1 - mean) / coins + t * t / (4 * coins * coins))
    return max(0.0, min(centre - half, mean)), min(1.0, max(centre + half, mean))


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n or k < 1:
        raise ValueError(f"{c} successes in {n} trials, {k} at a time: that cannot be")
