"""Names in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 5, *, between: str = ",") -> str:
    """The first ones, and how many more there are: "a, b and 3 more"; with `between` ";": "a; b; and 3 more"."""
    every = list(names)
    rest = f"{'' if between == ',' else between} and {len(every) - most} more" if len(every) > most else ""
    return f"{between} ".join(every[:most]) + rest
