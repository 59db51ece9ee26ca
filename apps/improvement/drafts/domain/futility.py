"""Stopping a trial of the selection early because the draft will not win there: never because it wins. Pure.

Stochastic curtailment (Lan, Simon and Halperin 1982; reference: Jennison and Turnbull, ch. 10): given the families that
were compared, how probable is it that the mean over all families ends above 0 although the draft truly gains
`HOPED_POINTS`? Below `MIN_CHANCE` the rest is not played. A draft that is stopped is not shown to be better, so the
rate of false claims cannot rise.
"""

from collections.abc import Sequence
from math import erf, fsum, sqrt

from apps.improvement.drafts.domain.trial_forecast import SPREAD

LEAST_SHARE = 0.5  # of the families, before anything is asked
LEAST_FAMILIES = 3
HOPED_POINTS = 0.5  # what is worth a release; the smallest difference that pages call one
MIN_CHANCE = 0.1
_MEASURED_FROM = 6  # families


def chance_to_win(gains: Sequence[float], *, families: int, hoped: float = HOPED_POINTS) -> float:
    """Return the probability that the mean over all `families` ends above 0.

    The rest is assumed to gain `hoped` in truth: it is taken as normal with the spread of what was seen (assumed below
    six families). 1 where all are in and above 0.
    """
    seen, left = len(gains), families - len(gains)
    if left <= 0:
        return 1.0 if fsum(gains) > 0 else 0.0
    if not gains:
        return 1.0
    mean = fsum(gains) / seen
    spread = SPREAD  # assumed until there are enough to measure
    if seen >= _MEASURED_FROM:
        spread = max(sqrt(fsum((gain - mean) ** 2 for gain in gains) / (seen - 1)), 0.05)
    expected, deviation = fsum(gains) + left * hoped, spread * sqrt(left)
    return 0.5 * (1 + erf(expected / deviation / sqrt(2)))


def is_futile(gains: Sequence[float], *, families: int) -> bool:
    """Tell whether to stop: at least half of the families and three are compared, and a win has become improbable."""
    if len(gains) < max(LEAST_FAMILIES, LEAST_SHARE * families) or len(gains) >= families:
        return False
    return chance_to_win(gains, families=families) < MIN_CHANCE
