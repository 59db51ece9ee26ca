"""A model that answers nothing but 429: what waits for it does not wait for ever. Pure."""

from datetime import datetime, timedelta


def next_ask(until: datetime, *, since: datetime, minutes: int) -> datetime:
    """Return when to ask again: as told, but not later than the moment at which nobody waits any longer."""
    return min(until, since + timedelta(minutes=minutes))


def gave_up(*, since: datetime, now: datetime, minutes: int) -> str:
    """Say why nobody waits any longer for a model that has only limited us; "" while somebody does."""
    if now - since < timedelta(minutes=minutes):
        return ""
    return (
        f"The model has answered only 429 (too many requests) since {since:%H:%M} UTC: after {minutes} minutes nobody "
        "waits any longer (agent_limit_minutes)."
    )
