"""The tenant's own people, whom every masking knows: the room that keeps them registers where they are read.

`apps.core.redaction` stays usable without Django: where nothing is registered nobody is listed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

NameSource = Callable[[bool], tuple[str, ...]]

_sources: list[NameSource] = []
_may_ask: ContextVar[bool] = ContextVar("ratiba_listed_names_may_ask", default=True)


def register_names(source: NameSource) -> None:
    """Register a source of names.

    `source(may_ask)` gives the names of the current tenant; where it may not ask the database, it gives those that it
    read last. It never raises.
    """
    if source not in _sources:
        _sources.append(source)


def listed_names() -> tuple[str, ...]:
    """Return the listed names of the current tenant; () outside every tenant."""
    return tuple(name for source in _sources for name in source(_may_ask.get()))


@contextmanager
def without_asking() -> Iterator[None]:
    """Read no names from the database inside the block, for log lines; use those that were read last."""
    token = _may_ask.set(False)
    try:
        yield
    finally:
        _may_ask.reset(token)
