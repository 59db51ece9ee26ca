"""Schedule when a delivery that failed is tried again."""

from collections.abc import Sequence
from datetime import datetime, timedelta

# After each failed attempt, in seconds: three quick ones, then growing to hours (75 h in all, as the standard has).
DELAYS_S = (5, 5, 5, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000, 86_400)
MAX_S = 86_400.0
JITTER = 0.1  # of the longer delays, so that a receiver coming back is not met by everything at once


def next_attempt(
    *, failed: int, now: datetime, retry_after_s: float | None, spread: float, delays_s: Sequence[float] = DELAYS_S
) -> datetime | None:
    """Return when to try again after the `failed`-th failed attempt (from 1); None after the last one.

    `spread` (0 to 1) places this delivery within the jitter. A receiver that asks for more time gets it, up to a day.
    """
    if failed > len(delays_s):
        return None
    delay = float(delays_s[failed - 1])
    if delay > 5:
        delay *= 1 + JITTER * spread
    return now + timedelta(seconds=min(MAX_S, max(delay, retry_after_s or 0.0)))
