"""Register the metrics that this server measures. The room that measures adds its names in its registrations.py."""

from collections.abc import Callable, Iterable

sources: list[Callable[[], Iterable[str]]] = []


def measured_metrics() -> tuple[str, ...]:
    """The names a scenario's assertions may use, in the order they were added."""
    return tuple(name for source in sources for name in source())
