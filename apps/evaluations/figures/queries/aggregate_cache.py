"""Cached sums over an evaluation's scored judgements, used until its figures are stored (queries.stored_figures). They
stay valid as long as no further judgement is scored.

A scored judgement is final (the database refuses to change or delete it), so what is summed depends on how many there
are, and on rows whose change raises `figures_version`.
"""

import uuid
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from django.core.cache import cache

from apps.evaluations.models import Evaluation

T = TypeVar("T")
CACHE_S = 3600
VERDICTS = "verdicts"  # DecisionCounts with the judge's noise in them

Scored = Mapping[uuid.UUID, tuple[int, int]]  # by evaluation: its `figures_version`, and how many are scored


def cached_aggregate(what: str, evaluation: Evaluation, scored: int, read: Callable[[], T]) -> T:
    """Return `read()`, or its cached answer for the same number of scored judgements. Never caches a None."""
    key = {evaluation.pk: (evaluation.figures_version, scored)}
    return cached_aggregates(what, key, lambda _: {evaluation.pk: read()})[evaluation.pk]


def cached_aggregates(
    what: str, scored: Scored, read: Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, T]]
) -> dict[uuid.UUID, T]:
    """Return `cached_aggregate` of several evaluations.

    `read` is called once, with those that are not in the cache, and not at all for none. One look into the cache.
    """
    if not scored:
        return {}
    keys = {one: f"sums-{what}-{one}-{version}-{n}" for one, (version, n) in scored.items()}
    many = cache.get_many(keys.values())
    aggregates: dict[uuid.UUID, T] = {one: many[key] for one, key in keys.items() if many.get(key) is not None}
    missing = [one for one in scored if one not in aggregates]
    if missing:
        read_now = read(missing)
        cache.set_many({keys[one]: value for one, value in read_now.items() if value is not None}, CACHE_S)
        aggregates |= read_now
    return aggregates
