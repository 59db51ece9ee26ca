"""What was said before an upgrade and is not said after it."""

import re
from collections.abc import Iterable, Mapping
from math import isclose
from typing import Any

# Said to people, in words that may be put better; what they tell stands in other fields, too.
WORDED = ("/markdown", "/terminal", "/sentence", "/warnings", "/notes", "/certificate_note", "/certificate/reason")
_EVALUATION = re.compile(r"/api/v1/evaluations/[0-9a-f-]{36}/")


def figures_of_evaluations(answers: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Means, their intervals and pass rates of each evaluation and its criteria, as pages write them."""
    found: set[str] = set()
    for address, answer in answers.items():
        if _EVALUATION.fullmatch(address):
            for one in (answer["json"], *answer["json"]["criteria"]):
                found |= _written(
                    [one.get("weighted_score"), one.get("mean"), *(one["interval"] or [])], one["pass_rate"]
                )
    return found


def _written(points: Iterable[float | None], share: float | None) -> set[str]:
    found = {f"{point:.{places}f}" for point in points if point is not None for places in (1, 2)}
    return found | ({f"{share * 100:.0f}{gap}%" for gap in ("", " ")} if share is not None else set())


def differences(before: Any, now: Any, at: str = "") -> list[str]:
    """One line a difference, with its place; [] for none. What is said besides is no difference: a field, a line of a
    text, a sentence of a list of sentences, a figure on a page."""
    if at.endswith(WORDED):
        return [f"{at} is not said"] if before and not now else []
    match before, now:
        case dict(), dict():
            gone = [f"{at}/{key} is not said" for key in before if key not in now]
            return gone + [
                one for key in before if key in now for one in differences(before[key], now[key], f"{at}/{key}")
            ]
        case list(), list() if all(isinstance(one, str) for one in [*before, *now]):
            return _gone(before, now, at)
        case list(), list() if len(before) == len(now):
            pairs = enumerate(zip(before, now, strict=True))
            return [one for place, (old, new) in pairs for one in differences(old, new, f"{at}/{place}")]
        case float(), float() if isclose(before, now, rel_tol=1e-9):  # Postgres adds up in any order
            return []
        case str(), str() if "\n" in before:
            return _gone(before.splitlines(), now.splitlines(), at)
    return [] if before == now else [f"{at}: {_short(before)} is now {_short(now)}"]


def _gone(before: list[str], now: list[str], at: str) -> list[str]:
    return [f"{at}: {_short(one)} is gone" for one in before if one not in now]


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:120]}…"
