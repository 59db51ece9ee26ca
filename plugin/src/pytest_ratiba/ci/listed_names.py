"""Names in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 5) -> str:
    """The first ones, and how many more there are."""
    every = list(names)
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")
