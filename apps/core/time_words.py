"""Times in words, the same on every page: how long ago, and how long."""

from datetime import datetime

_STEPS = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (float("inf"), 86_400, "days"))


def ago(then: datetime, now: datetime) -> str:
    """Write a time relative to now: `3 min ago`, `in 12 s`, `just now`."""
    seconds = (now - then).total_seconds()
    if abs(seconds) < 2:
        return "just now"
    text = span(abs(seconds)) if abs(seconds) >= 10 else f"{abs(seconds):.0f} s"
    return f"{text} ago" if seconds > 0 else f"in {text}"


def span(seconds: float) -> str:
    """A length of time by its largest unit: `0.3 s`, `41 s`, `3 min`, `2 days`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    for limit, unit, name in _STEPS:
        if seconds < limit:
            n = int(seconds // unit)
            return f"{n} {'day' if n == 1 and name == 'days' else name}"
    raise AssertionError
