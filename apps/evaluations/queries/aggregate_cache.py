"""Sums over scored judgements, kept as long as no further judgement is scored.

A scored judgement is final (the database refuses to change or delete it), so what is summed over an evaluation's
scored judgements depends on how many there are and on nothing else.
"""

import uuid
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

T = TypeVar("T")
CACHE_S = 3600


def cached_aggregate(what: str, evaluation_id: uuid.UUID, scored: int, read: Callable[[], T]) -> T:
    """`read()`, or what it answered when as many judgements were scored. Never keeps a None."""
    key = _key(what, evaluation_id, scored)
    value: T | None = cache.get(key)
    if value is None:
        value = read()
        cache.set(key, value, CACHE_S)
    return value


def forget_sums(evaluation_id: uuid.UUID, scored: int) -> None:
    """What was summed when so many judgements were scored is summed anew: a conversation has left the denominator."""
    cache.delete(_key("sums", evaluation_id, scored))


def _key(what: str, evaluation_id: uuid.UUID, scored: int) -> str:
    return f"sums-{what}-{evaluation_id}-{scored}"
