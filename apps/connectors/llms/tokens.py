"""Reading token counts out of whatever a provider sent."""

from typing import Any


def count(told: Any, *path: str) -> int:
    """The count at `path`, or 0 when any step is missing, null or not a number that counts something."""
    for step in path:
        told = told.get(step) if isinstance(told, dict) else None
    return told if isinstance(told, int) and not isinstance(told, bool) and told > 0 else 0
