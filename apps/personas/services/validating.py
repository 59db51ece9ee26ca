"""Validate the personas that are owed."""

from collections.abc import Callable
from datetime import datetime


def validate_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Validate the personas that are owed, until nothing is or the time is up; whether something is left then."""
    return False
