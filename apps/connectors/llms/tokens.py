"""Reading token counts out of whatever a provider sent."""

from typing import Any


def count(reported: Any, *path: str) -> int:
    """The count at `path`, or 0 when any step is missing, null or not a number that counts something."""
    for step in path:
        reported = reported.get(step) if isinstance(reported, dict) else None
    return reported if isinstance(reported, int) and not isinstance(reported, bool) and reported > 0 else 0
