"""Decide when a golden session should be looked at again."""

from datetime import datetime, timedelta

CONFIRM_AFTER = timedelta(days=90)  # a quarter: what an agent should say changes with prices and seasons


def confirmation_is_old(confirmed_at: datetime | None, *, now: datetime) -> bool:
    """Tell whether nobody has confirmed it for CONFIRM_AFTER, or ever."""
    return confirmed_at is None or now - confirmed_at > CONFIRM_AFTER
