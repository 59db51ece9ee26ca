"""Read `--days` of the key commands."""

from datetime import datetime, timedelta

from apps.core.errors import BadInput

MAX_DAYS = 36_500


def expiry(days: float | None, *, now: datetime) -> datetime | None:
    """Return when a key made now ends; None: never. Raises BadInput outside a moment and a century."""
    if days is None:
        return None
    if not 0 < days <= MAX_DAYS:
        raise BadInput(f"--days {days:g}: must be more than 0 and at most {MAX_DAYS}", pointer="/days")
    return now + timedelta(days=days)
