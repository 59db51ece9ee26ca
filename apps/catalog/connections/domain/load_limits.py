"""Read from a catalog file how much an agent or a model provider is asked at once."""

from collections.abc import Mapping
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.core.errors import BadInput

MAX_AT_ONCE = 1000


def max_concurrent_of(raw: Mapping[str, Any]) -> int | None:
    """Return `max_concurrent`, None where it is not given. Raises BadInput."""
    most = raw.get("max_concurrent")
    return None if most is None else checks.integer(most, "/max_concurrent", low=1, high=MAX_AT_ONCE)


def stagger_of(raw: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return `stagger_s`, from and to in seconds, None where it is not given. Raises BadInput."""
    given = raw.get("stagger_s")
    if given is None:
        return None
    ends = checks.listing(given, "/stagger_s")
    if len(ends) != 2:
        raise BadInput("/stagger_s must be two numbers: from, to (seconds)", pointer="/stagger_s")
    low, high = (checks.number(end, f"/stagger_s/{index}", low=0, high=3600) for index, end in enumerate(ends))
    if low > high:
        raise BadInput(f"/stagger_s: {low:g} is greater than {high:g}", pointer="/stagger_s")
    return low, high
