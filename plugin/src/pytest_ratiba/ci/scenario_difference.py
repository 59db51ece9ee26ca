"""Compare a scenario with the same one at the merge base. Pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pytest_ratiba.digests import digest_of

_LESS_IF_CHANGED = ("persona", "goal", "language", "agent")


def scenario_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, bool]:
    """Describe the difference between two versions of a scenario.
    The second value tells whether the new version asserts less."""
    gone, new = _counted(before.get("assertions")), _counted(now.get("assertions"))
    lost, gained = (gone - new).total(), (new - gone).total()
    turns = len(before.get("turns") or ()) - len(now.get("turns") or ())
    others = sorted(
        key
        for key in {*before, *now} - {"assertions", "turns", "must_not"}
        if digest_of(before.get(key)) != digest_of(now.get(key))
    )
    softer = _softer(before.get("must_not"), now.get("must_not"))
    marks = digest_of(before.get("must_not")) != digest_of(now.get("must_not"))
    said = digest_of(before.get("turns")) != digest_of(now.get("turns"))
    words = [
        f"{lost} of {gone.total()} assertions gone or other" if lost else "",
        f"{gained} assertions added" if gained and not lost else "",
        f"{softer} of what must not happen again gone or lower" if softer else "",
        "other must_not" if marks and not softer else "",
        f"{turns} turns fewer" if turns > 0 else "",
        "turns say something else" if said and turns <= 0 else "",
        f"other {', '.join(map(str, others))}" if others else "",
    ]
    less = bool(lost or softer or turns > 0 or set(others) & set(_LESS_IF_CHANGED))
    return ", ".join(word for word in words if word), less


def _softer(before: Any, now: Any) -> int:
    """Count the marks of `must_not` that are gone or lower than before.
    A mark that cannot be read counts as gone."""
    was, own = _marks(before), _marks(now)
    return sum(own.get(name, 0.0) < mark for name, mark in was.items())


def _marks(must_not: Any) -> dict[str, float]:
    found = {}
    for one in must_not if isinstance(must_not, list) else ():
        mark = one.get("below") if isinstance(one, dict) else None
        if isinstance(mark, int | float):
            found[str(one.get("criterion"))] = float(mark)
    return found


def _counted(assertions: Any) -> Counter[str]:
    return Counter(digest_of(assertion) for assertion in assertions or ())
