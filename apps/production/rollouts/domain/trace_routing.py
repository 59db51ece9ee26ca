"""Read from spans who answered a conversation: the caller, the version and alias of each call, and its cost. Pure."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

_ALIASES = frozenset({"stable", "canary", "custom"})
_MAX_USD = 1000.0


def routing_of(held: Mapping[str, Any]) -> dict[str, Any]:
    """Read the routing of one span's attributes.

    They are `ratiba.tenant_id`, `ratiba.alias` and `ratiba.cost_usd`, or the same without the prefix. An unreadable
    value is left out: a span is never refused for it.
    """
    values = {name: held.get(f"ratiba.{name}", held.get(name)) for name in ("tenant_id", "alias", "cost_usd")}
    routing = dict[str, Any]()
    with suppress(ValueError, TypeError, AttributeError):
        routing["caller"] = str(UUID(values["tenant_id"]))
    if isinstance(values["alias"], str) and values["alias"] in _ALIASES:
        routing["alias"] = values["alias"]
    cost = values["cost_usd"]
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost <= _MAX_USD:
        routing["cost_usd"] = float(cost)
    return routing


def joined_routing(calls: Sequence[Mapping[str, Any]], *, around: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Join the routing of a conversation's calls: every version that answered, and their cost together.

    Where no call names a version, the spans `around` them do; a cost is a call's alone, since those add up what is
    inside them.
    """
    named = [call["prompt_version"] for call in calls if call.get("prompt_version")]
    named = named or [one["prompt_version"] for one in around if one.get("prompt_version")]
    versions = list(dict.fromkeys(named))
    costs = [call["cost_usd"] for call in calls if "cost_usd" in call]
    routing: dict[str, Any] = {"prompt_versions": versions[:20]} if len(versions) > 1 else {}
    return routing | ({"cost_usd": min(sum(costs), _MAX_USD)} if costs else {})
