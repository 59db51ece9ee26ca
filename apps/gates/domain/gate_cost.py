"""What a gate cost, in words: the same on its page, in its report, in Markdown and on the terminal. Pure."""

from collections.abc import Mapping
from typing import Any

from apps.core.cost_words import cost_parts, dollars


def gate_cost_words(gate: Mapping[str, Any]) -> str:
    """`$4.10 of $20.00`; `at least $4.10 of $20.00 (3 of 90 calls have no price)`; `unknown: 90 of 90 calls have no
    price`. Of the document that the API gives."""
    cost, unpriced = cost_parts(gate["known_cost_usd"], calls=gate["model_calls"], unpriced=gate["calls_without_price"])
    budget = "" if gate["budget_usd"] is None else dollars(gate["budget_usd"])
    if unpriced and not gate["known_cost_usd"]:
        return f"{cost}: {unpriced}{f' (budget {budget})' if budget else ''}"
    return f"{cost}{f' of {budget}' if budget else ''}{f' ({unpriced})' if unpriced else ''}"
