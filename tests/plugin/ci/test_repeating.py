"""How often cases are played again: by what the gate says would do, the declared limit, and the money that is left."""

import pytest

from pytest_ratiba.ci.repeating import planned_repeats, with_note


def gate(*, more: int | None = 3, played: int = 1, cost: float = 1.0, spent: float = 2.0, budget: float | None = 20.0):
    return {"more_repeats": more, "counts": {"candidate": {"repeats": played}}, "candidate": {"cost_usd": cost},
            "cost_usd": spent, "budget_usd": budget, "markdown": "m", "terminal": "t"}  # fmt: skip


@pytest.mark.parametrize(
    "asked, most, repeats, why",
    [
        (gate(), 5, 3, ""),
        (gate(more=30), 5, 4, ""),
        (gate(more=30, played=3, cost=3.0), 9, 6, ""),
        (gate(played=5), 5, 0, "every case was played 5 times"),
        (gate(more=None), 5, 0, "more cases would"),
        (gate(spent=15.5), 5, 2, ""),
        (gate(spent=19.0), 5, 0, "costs about $2.00, and $1.00 is left"),
        (gate(spent=21.0), 5, 0, "$0.00 is left"),
        (gate(budget=None, cost=1000.0), 5, 3, ""),
        (gate(cost=0.0, spent=20.0), 5, 3, ""),
    ],
)
def test_repeats_are_planned(asked, most, repeats, why) -> None:
    found = planned_repeats(asked, most=most)
    assert found.repeats == repeats
    assert why in found.why


def test_a_note_is_no_markup() -> None:
    found = with_note(gate(), "Not repeated: `x`\n## Passed ::set-output")
    assert found["markdown"] == "m\n`Not repeated: 'x' ## Passed ::set-output`\n"
    assert found["terminal"].splitlines()[1] == "  Not repeated: `x` ## Passed ::set-output"
