"""What spans say of who answered a conversation: the caller, the version and alias of each call, and its cost.
Pure."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

_ALIASES = frozenset({"stable", "canary", "custom"})
_MOST_USD = 1000.0


def routing_of(held: Mapping[str, Any]) -> dict[str, Any]:
    """Of one span's attributes: `ratiba.tenant_id`, `ratiba.alias` and `ratiba.cost_usd`, or the same without the
    prefix. What cannot be read is left out: a span is never refused for it."""
    said = {name: held.get(f"ratiba.{name}", held.get(name)) for name in ("tenant_id", "alias", "cost_usd")}
    found = dict[str, Any]()
    with suppress(ValueError, TypeError, AttributeError):
        found["caller"] = str(UUID(said["tenant_id"]))
    if isinstance(said["alias"], str) and said["alias"] in _ALIASES:
        found["alias"] = said["alias"]
    cost = said["cost_usd"]
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost <= _MOST_USD:
        found["cost_usd"] = float(cost)
    return found


def joined_routing(spans: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of a conversation's spans: every version that answered, and what all of them cost together."""
    versions = list(dict.fromkeys(one["prompt_version"] for one in spans if one.get("prompt_version")))
    costs = [one["cost_usd"] for one in spans if "cost_usd" in one]
    found: dict[str, Any] = {"prompt_versions": versions[:20]} if len(versions) > 1 else {}
    return found | ({"cost_usd": min(sum(costs), _MOST_USD)} if costs else {})
