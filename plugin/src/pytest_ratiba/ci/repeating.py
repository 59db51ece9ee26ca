"""Near the line the cases are played again: how often, by what the server's answer says and the budget allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_ratiba.ci.known_cost import known_cost


@dataclass(frozen=True, kw_only=True)
class PlannedRepeats:
    """`repeats` more of every case on both sides; 0 with the reason why none."""

    repeats: int
    why: str = ""


def planned_repeats(gate: Mapping[str, Any], *, most: int) -> PlannedRepeats:
    """As many as the gate says would do, so that no case is played more than `most` times a side, and the budget is not
    spent. What a repeat costs is taken from the candidate's first ones, for both sides."""
    wanted = gate["more_repeats"]
    played = int(gate["counts"]["candidate"]["repeats"])
    if wanted is None:
        return PlannedRepeats(repeats=0, why="repeats of the same cases would hardly tell; more cases would")
    room = most - played
    if room < 1:
        return PlannedRepeats(repeats=0, why=f"every case was played {played} times, the most that is declared")
    repeats = min(int(wanted), room)
    budget = gate["budget_usd"]
    each = 2 * known_cost(gate["candidate"]) / max(1, played)
    if budget is not None and each > 0:
        left = float(budget) - known_cost(gate)
        affordable = int(left / each) if left > 0 else 0
        if affordable < 1:
            why = f"one more repeat on both sides costs about ${each:.2f}, and ${max(0.0, left):.2f} is left"
            return PlannedRepeats(repeats=0, why=why)
        repeats = min(repeats, affordable)
    return PlannedRepeats(repeats=repeats)


def with_note(gate: Mapping[str, Any], note: str, *, above: bool = False) -> dict[str, Any]:
    """The gate's texts with a sentence of our own below, or right `above` what follows the decision."""
    line = "".join(one if one.isprintable() else " " for one in note)
    quoted = "`" + line.replace("`", "'") + "`"
    head, gap, rest = str(gate["markdown"]).partition("\n\n")
    below = f"{gate['markdown']}\n{quoted}\n"
    return {
        **gate,
        "markdown": f"{head}\n\n{quoted}{gap}{rest}" if above else below,
        "terminal": f"{gate['terminal']}\n  {line}",
    }
