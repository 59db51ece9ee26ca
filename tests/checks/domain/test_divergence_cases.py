"""Twenty repeats, written before the divergence report's rules: ten in other words, ten with one changed value.

What the rules make of each is "same", "differs" at a turn, or "unsure", which a judge or a person decides.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from apps.checks.domain.divergence import DivergenceKind, divergences, first_that_matters
from apps.runs.goldens.domain.replayed import ReplayedTurn

CASES = Path(__file__).parents[2] / "reports" / "divergence_cases"
UNSURE = (DivergenceKind.VALUE_UNSURE, DivergenceKind.ASKED_NEW)


def cases(name: str) -> list[Any]:
    return [pytest.param(one, id=one["id"]) for one in yaml.safe_load((CASES / f"{name}.yaml").read_text("utf-8"))]


def outcome_of(case: dict[str, Any]) -> tuple[str, int | None]:
    """What the rules say, and at which turn."""
    golden = case["golden"]
    turns = [  # a line is named by its user turn
        ReplayedTurn(position=at - 1, at=at - 1, sent=golden[at - 1]["u"], golden_reply=one["a"], reply=new["a"])
        for at, (one, new) in enumerate(zip(golden, case["replay"], strict=True))
        if "a" in one
    ]
    found = divergences(turns)
    if first := first_that_matters(found):
        return "differs", first[0].position + 1
    unsure = any(one.kind in UNSURE for turn in found for one in turn.differences)
    return ("unsure" if unsure else "same"), None


@pytest.mark.parametrize("case", cases("reworded"))
def test_another_wording_is_never_called_another_value(case):
    assert outcome_of(case)[0] in ("same", "unsure")


@pytest.mark.parametrize("case", cases("changed_value"))
def test_a_changed_value_is_found_at_its_turn_or_left_to_a_person(case):
    assert outcome_of(case) in (("differs", case["expected"].get("position")), ("unsure", None))
