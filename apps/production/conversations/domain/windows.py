"""Production runs: one agent × six hours, so that a run has one id whoever makes it."""

import hashlib
import uuid
from datetime import UTC, datetime, timedelta

HOURS = 6
_OLDEST = timedelta(days=366)  # a conversation that says it is older is counted when it came


def window_of(*, said_at: datetime | None, now: datetime) -> datetime:
    """Return the start of the six hours in which a message was said.

    Where no credible time is given, the time of its arrival counts.
    """
    at = said_at if said_at is not None and now - _OLDEST <= said_at <= now else now
    at = at.astimezone(UTC)
    return at.replace(hour=at.hour - at.hour % HOURS, minute=0, second=0, microsecond=0)


def run_id_of(*, agent_id: object, starts: datetime) -> uuid.UUID:
    """Return the run's id, the same for the same agent and window. It sorts by time like every other id (UUIDv7)."""
    drawn = int.from_bytes(hashlib.sha256(f"production {agent_id} {starts.isoformat()}".encode()).digest()[:10], "big")
    number = (int(starts.timestamp() * 1000) << 80) | drawn
    number = number & ~(0xF << 76) | (7 << 76)
    return uuid.UUID(int=number & ~(0x3 << 62) | (2 << 62))
