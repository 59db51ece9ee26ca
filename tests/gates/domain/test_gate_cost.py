"""What a gate cost is said where prices are unknown, too."""

import pytest

from apps.gates.domain.gate_words import gate_cost_words


@pytest.mark.parametrize(
    "cost, calls, unpriced, budget, words",
    [
        (0.0, 0, 0, None, "$0.00"),
        (4.1, 90, 0, 20.0, "$4.10 of $20.00"),
        (0.0, 90, 90, 20.0, "unknown: 90 of 90 calls have no price (budget $20.00)"),
        (0.0, 1, 1, None, "unknown: 1 of 1 call has no price"),
        (4.1, 90, 3, None, "at least $4.10 (3 of 90 calls have no price)"),
    ],
)
def test_the_cost_in_words(cost, calls, unpriced, budget, words):
    gate = {"known_cost_usd": cost, "model_calls": calls, "calls_without_price": unpriced, "budget_usd": budget}
    assert gate_cost_words(gate) == words
