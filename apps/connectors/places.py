"""How many questions one process asks a model's server at once, where somebody says how many it takes.

A server of one's own puts what it cannot begin into a queue, and the time in there is taken from the answer's: thirty
questions to a machine with two places all end as too slow.
"""

import threading
from collections import Counter

from apps.connectors.llms.base import ModelSpec

_OPEN: Counter[tuple[str | None, ...]] = Counter()
_LOCK = threading.Lock()


def take_place(spec: ModelSpec) -> bool:
    """Whether there is one for a further question; give it back with `leave_place`."""
    with _LOCK:
        if spec.max_concurrent is not None and _OPEN[_server(spec)] >= spec.max_concurrent:
            return False
        _OPEN[_server(spec)] += 1
        return True


def leave_place(spec: ModelSpec) -> None:
    """The question is answered, or failed."""
    with _LOCK:
        _OPEN[_server(spec)] -= 1


def _server(spec: ModelSpec) -> tuple[str | None, ...]:
    """All models of one address and key share its places."""
    return spec.provider, spec.base_url, spec.api_key
