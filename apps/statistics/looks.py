"""Looking at the same sealed cases more than once: what each look may cost, and how many cases a claim needs then.

Without spending, three looks at plain 5 % claim a gain that is not there in 16 % of cases, six looks in 31 %
(simulated: 12 clusters, 4,000 runs).
"""

from collections.abc import Sequence

ALPHA = 0.05
LOOKS = 3  # with 12 clusters the fourth look's level is 1/320: more clusters serve better than more looks
_MIN_DIFFERING = 5  # at look k a claim needs k + 5: one-sided, 2^-n reaches α · 2^-k no sooner
_SAME = 1e-12


def level_of_look(look: int, *, alpha: float = ALPHA) -> float:
    """Return the one-sided level of the look with this number, from 1: α · 2^-look.

    All looks together cost at most α then (a union bound: Bonferroni's, with geometric weights). Raises ValueError for
    a look below 1.
    """
    if look < 1:
        raise ValueError(f"looks are numbered from 1, not {look}")
    return alpha * 2.0**-look


def clusters_needed(look: int) -> int:
    """Return how many clusters must differ before a claim is possible at this look.

    They are 6, 7, 8 at looks 1, 2, 3.
    """
    if look < 1:
        raise ValueError(f"looks are numbered from 1, not {look}")
    return look + _MIN_DIFFERING


def differing(differences: Sequence[float]) -> int:
    """Count the clusters that differ at all; a difference of 0 has no sign and decides nothing."""
    return sum(abs(difference) > _SAME for difference in differences)
