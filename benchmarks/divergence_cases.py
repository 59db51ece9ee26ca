"""Is another wording told from another value? Twenty repeats written before the divergence report, and apart from it.

    python -m benchmarks.divergence_cases

Ten in other words, ten with one changed value (tests/reports/divergence_cases). Printed is what the report's rules make
of each: "same", "differs" at a turn, or "unsure", for a judge or a person. Exit 0 when no repeat in other words
differs and every changed value is found or unsure; 1 otherwise. Pure; a second.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from apps.checks.domain.divergence import DivergenceKind, divergences, first_that_matters
from apps.runs.goldens.domain.replayed import ReplayedTurn

CASES = Path(__file__).parents[1] / "tests" / "reports" / "divergence_cases"


def turns_of(case: dict[str, Any]) -> list[ReplayedTurn]:
    """The case's turns, golden beside replay."""
    found = []
    pairs = zip(case["golden"], case["replay"], strict=True)
    for position, (golden, replay) in enumerate(pairs):
        if "a" in golden:
            sent = case["golden"][position - 1]["u"]
            at = position - 1  # a line is named by its user turn
            found.append(ReplayedTurn(position=at, at=at, sent=sent, golden_reply=golden["a"], reply=replay["a"]))
    return found


def outcome_of(case: dict[str, Any]) -> tuple[str, int | None, str]:
    """What the rules say: same, differs or unsure; the turn; why."""
    found = divergences(turns_of(case))
    first = first_that_matters(found)
    if first:
        return "differs", first[0].position + 1, first[1].why
    unsure = [
        (turn.position, one.why)
        for turn in found
        for one in turn.differences
        if one.kind in (DivergenceKind.VALUE_UNSURE, DivergenceKind.ASKED_NEW)
    ]
    return ("unsure", *unsure[0]) if unsure else ("same", None, "")


def main() -> int:
    counts: Counter[str] = Counter()
    wrong = 0
    for name in ("reworded", "changed_value"):
        for case in yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8")):
            outcome, position, why = outcome_of(case)
            expected = case["expected"]
            right = outcome == expected["outcome"] and position == expected.get("position")
            unsure = outcome == "unsure"
            counts[f"{name}: {'right' if right else 'unsure' if unsure else 'wrong'}"] += 1
            wrong += not right and not unsure
            mark = " " if right else "?" if unsure else "!"
            print(f"{mark} {case['id']:<34}{expected['outcome']:<9}{expected['by']:<7}{outcome:<9}{why[:90]}")
    print(dict(sorted(counts.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
