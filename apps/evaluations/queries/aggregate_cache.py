"""Sums over scored judgements, kept as long as no further judgement is scored.

A scored judgement is final (the database refuses to change or delete it), so what is summed over an evaluation's
scored judgements depends on how many there are, and on which conversations are left out of every denominator. When one
more is left out, `forget_sums` begins a new generation, and values of an earlier one count no more.
"""

import uuid
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from django.core.cache import cache

T = TypeVar("T")
CACHE_S = 3600
VERDICTS = "verdicts"  # DecisionCounts with the judge's noise in them
GROUPS = "groups"  # DecisionsByGroup
SLICES = "slices"  # which personas and languages do worse (apps.reports.queries.slices)


def cached_aggregate(what: str, evaluation_id: uuid.UUID, scored: int, read: Callable[[], T]) -> T:
    """`read()`, or what it answered when as many judgements were scored. Never keeps a None."""
    return cached_aggregates(what, {evaluation_id: scored}, lambda _: {evaluation_id: read()})[evaluation_id]


def cached_aggregates(
    what: str, scored: Mapping[uuid.UUID, int], read: Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, T]]
) -> dict[uuid.UUID, T]:
    """`cached_aggregate` of several evaluations, with how many of each are scored; `read` is called once, with those
    that are not kept. One look into the cache."""
    keys = {evaluation_id: _key(what, evaluation_id, n) for evaluation_id, n in scored.items()}
    entries = cache.get_many([*keys.values(), *(_generation_key(one) for one in keys)])
    generations = {one: entries.get(_generation_key(one), "") for one in keys}
    found: dict[uuid.UUID, T] = {}
    for evaluation_id, key in keys.items():
        generation, value = entries.get(key, (None, None))
        if value is not None and generation == generations[evaluation_id]:
            found[evaluation_id] = value
    missing = [evaluation_id for evaluation_id in scored if evaluation_id not in found]
    if missing:
        read_now = read(missing)
        kept = {keys[one]: (generations[one], value) for one, value in read_now.items() if value is not None}
        cache.set_many(kept, CACHE_S)
        found |= read_now
    return found


def forget_sums(evaluation_ids: Collection[uuid.UUID]) -> None:
    """What was summed of these evaluations is summed anew: a conversation has left the denominator."""
    generation = uuid.uuid4().hex
    cache.set_many({_generation_key(one): generation for one in evaluation_ids}, 2 * CACHE_S)  # outlives every value


def _generation_key(evaluation_id: uuid.UUID) -> str:
    return f"sums-generation-{evaluation_id}"


def _key(what: str, evaluation_id: uuid.UUID, scored: int) -> str:
    return f"sums-{what}-{evaluation_id}-{scored}"
