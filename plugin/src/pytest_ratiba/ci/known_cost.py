"""Read the known cost from a gate's document."""

from collections.abc import Mapping
from typing import Any


def known_cost(document: Mapping[str, Any]) -> float:
    """Dollars of the calls with a price: all that a budget can be held to. A server of before says `cost_usd` alone."""
    return float(document.get("known_cost_usd") or document.get("cost_usd") or 0)
