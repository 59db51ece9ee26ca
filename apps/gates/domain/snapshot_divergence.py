"""Say in a sentence where a played conversation departs from the accepted one. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.reports.comparisons.domain.alignment import QUIET, RowDifference, TurnPair, align, transcript_turns

_WORDS = {
    RowDifference.WORDING: "says the same in other words",
    RowDifference.FACT: "names other values",
    RowDifference.TOOL: "calls other tools",
    RowDifference.OTHER: "says something else",
    RowDifference.ADDED: "is new",
    RowDifference.REMOVED: "is missing",
}


def turn_pairs(accepted: Sequence[Mapping[str, Any]], played: Sequence[Mapping[str, Any]]) -> list[TurnPair]:
    """Both side by side, as a comparison shows two trials. 400 turns on both sides take some 0.1 s."""
    return align(transcript_turns(accepted), transcript_turns(played))


def divergence_of(pairs: Sequence[TurnPair], *, new: bool) -> dict[str, Any]:
    """Describe the first row that differs in more than words, else the first that differs.

    The answer is `{"turn", "kind", "sentence"}`. `turn` counts from 0 on the side that has it, null where nothing
    differs.
    """
    if new:
        return {"turn": None, "kind": "new", "sentence": "Nobody has accepted this conversation before."}
    loud = next((pair for pair in pairs if pair.difference not in QUIET), None)
    first = loud or next((pair for pair in pairs if pair.difference is not RowDifference.SAME), None)
    if first is None:
        return {"turn": None, "kind": "same", "sentence": "Every turn is the same."}
    side = first.right or first.left
    number = side.number if side else 0
    changed = sum(pair.difference is not RowDifference.SAME for pair in pairs)
    rest = changed - 1
    more = f", and {rest} more turn{'s differ' if rest > 1 else ' differs'}" if rest else ""
    sentence = f"Turn {number} ({first.role}) {_WORDS[first.difference]}{more}."
    return {"turn": number, "kind": first.difference.value, "sentence": sentence}
