"""Decide whether a judge that answers null about a blocking criterion lifts the block.

Only where the criterion's own text says that it may not apply; else the conversation is undecided. The rule is frozen
with the evaluation when it is requested. An evaluation from before that keeps the verdicts it was shown with: there
every null lifted the block.
"""

from collections.abc import Mapping
from typing import Any

from apps.statistics.decision import may_not_apply

OPTION = "null_stops"


def frozen_null_rule(snapshot: Mapping[str, Any]) -> dict[str, bool]:
    """The option of an evaluation that is requested now with this snapshot; {} where nothing blocks. Pure."""
    return {OPTION: True} if any(criterion.get("blocking") for criterion in snapshot["criteria"]) else {}


def excused_of(options: Mapping[str, Any], snapshot: Mapping[str, Any]) -> list[str]:
    """The criteria of which a null is an answer, for an evaluation with these options and this snapshot. Pure."""
    return [
        str(criterion["name"])
        for criterion in snapshot["criteria"]
        if not options.get(OPTION)
        or may_not_apply(criterion.get("description"), *(criterion.get("scoring_guide") or {}).values())
    ]
