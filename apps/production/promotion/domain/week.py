"""Decide when the weekly promotion is due: Mondays at six in the morning, in the tenant's zone."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

HOUR = time(6, 0)
_MONDAY = 0


def next_round(now: datetime, *, zone: str) -> datetime:
    """The first Monday 06:00 of this zone after `now`, in UTC. Where clocks skip that hour, the moment they reach it.

    Raises ZoneInfoNotFoundError for no zone."""
    here = now.astimezone(ZoneInfo(zone))
    day = here.date() + timedelta(days=(_MONDAY - here.weekday()) % 7)
    due = datetime.combine(day, HOUR, tzinfo=here.tzinfo)
    if due <= here:
        due = datetime.combine(day + timedelta(days=7), HOUR, tzinfo=here.tzinfo)
    return due.astimezone(UTC)
