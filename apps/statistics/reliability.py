"""Several trials of one case: how likely all of k succeed, and how likely at least one does.

Trials that failed for reasons outside the agent are left out beforehand: n shrinks, they are no failures.
"""

from math import comb


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


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n or k < 1:
        raise ValueError(f"{c} successes in {n} trials, {k} at a time: that cannot be")
