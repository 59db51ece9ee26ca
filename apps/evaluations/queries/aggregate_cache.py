"""Sums over scored judgements, kept as long as no further judgement is scored.

A scored judgement is final (the database refuses to change or delete it), so what is summed over an evaluation's
scored judgements depends on how many there are and on nothing else.
"""

import uuid
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from django.core.cache import cache

T = TypeVar("T")
CACHE_S = 3600
VERDICTS = "verdicts"  # DecisionCounts with the judge's noise in them
GROUPS = "groups"  # DecisionsByGroup


def cached_aggregate(what: str, evaluation_id: uuid.UUID, scored: int, read: Callable[[], T]) -> T:
    """`read()`, or what it answered when as many judgements were scored. Never keeps a None."""
    key = _key(what, evaluation_id, scored)
    value: T | None = cache.get(key)
    if value is None:
        value = read()
        cache.set(key, value, CACHE_S)
    return value


def cached_aggregates(
    what: str, scored: Mapping[uuid.UUID, int], read: Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, T]]
) -> dict[uuid.UUID, T]:
    """`cached_aggregate` of several evaluations, with how many of each are scored; `read` is called once, with those
    that are not kept."""
    keys = {_key(what, evaluation_id, n): evaluation_id for evaluation_id, n in scored.items()}
    found: dict[uuid.UUID, T] = {keys[key]: value for key, value in cache.get_many(keys).items()}
    missing = [evaluation_id for evaluation_id in scored if evaluation_id not in found]
    if missing:
        read_now = read(missing)
        cache.set_many({_key(what, one, scored[one]): value for one, value in read_now.items()}, CACHE_S)
        found |= read_now
    return found


def forget_sums(evaluation_id: uuid.UUID, scored: int) -> None:
    """What was summed when so many judgements were scored is summed anew: a conversation has left the denominator."""
    cache.delete_many([_key(what, evaluation_id, scored) for what in ("sums", VERDICTS, GROUPS)])


def _key(what: str, evaluation_id: uuid.UUID, scored: int) -> str:
    return f"sums-{what}-{evaluation_id}-{scored}"
