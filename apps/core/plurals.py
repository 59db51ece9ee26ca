"""A number with its noun."""


def many(n: int, one: str, more: str = "") -> str:
    """Write a count with its noun: `1 conversation`, `12 conversations`."""
    return f"{n:,} {one if n == 1 else more or one + 's'}"
