"""Limit how many questions one process asks a model's server at once, where a number is declared.

A server of one's own puts what it cannot begin into a queue, and the time in there is taken from the answer's: thirty
questions to a machine with two places all end as too slow.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

from apps.connectors.llms.base import ModelSpec

_OPEN: Counter[tuple[str | None, ...]] = Counter()
_LOCK = threading.Lock()
_LIMIT: ContextVar[asyncio.Timeout | None] = ContextVar("limit of the answer that is waited for", default=None)


def take_place(spec: ModelSpec) -> bool:
    """Take a place for a further question, to be given back with `leave_place`; return whether there was one."""
    with _LOCK:
        if spec.max_concurrent is not None and _OPEN[_server(spec)] >= spec.max_concurrent:
            return False
        _OPEN[_server(spec)] += 1
        return True


def leave_place(spec: ModelSpec) -> None:
    """Free the slot of a call that has ended."""
    with _LOCK:
        _OPEN[_server(spec)] -= 1


@asynccontextmanager
async def answered_within(seconds: float) -> AsyncIterator[None]:
    """Limit the time of all model calls of one answer, as `asyncio.timeout` does.

    The time that a call waits for a free slot does not count.
    """
    async with asyncio.timeout(seconds) as limit:
        before = _LIMIT.set(limit)
        try:
            yield
        finally:
            _LIMIT.reset(before)


async def wait_in_line(seconds: float) -> None:
    """Wait for a place; the limit around it (`answered_within`) ends so much later."""
    limit = _LIMIT.get()
    if limit is not None and (ends := limit.when()) is not None:
        limit.reschedule(ends + seconds)
    await asyncio.sleep(seconds)


def _server(spec: ModelSpec) -> tuple[str | None, ...]:
    """All models of one address and key share its places."""
    return spec.provider, spec.base_url, spec.api_key
