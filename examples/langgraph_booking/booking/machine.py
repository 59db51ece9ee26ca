"""The conversation's state machine, as fsm.yaml has it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml


class IllegalEvent(Exception):
    """The event has no transition in this state, or its guard does not hold."""


@cache
def table() -> dict[tuple[str, str], tuple[str, str]]:
    """(state, event) -> (next state, guard or "")."""
    raw = yaml.safe_load((Path(__file__).parent / "fsm.yaml").read_text(encoding="utf-8"))
    alive = [state for state, what in raw["states"].items() if not (what or {}).get("terminal")]
    found = {}
    for one in raw["transitions"]:
        sources = alive if one["from"] == "*" else one["from"] if isinstance(one["from"], list) else [one["from"]]
        for source in sources:
            found[source, one["event"]] = (one["to"], one.get("guard", ""))
    return found


GUARDS = {"slot_is_free": lambda context: bool(context.get("slot_is_free"))}


def fire(state: str, event: str, context: Mapping[str, Any]) -> str:
    """The next state. Raises IllegalEvent."""
    if (state, event) not in table():
        raise IllegalEvent(f"{event} is not possible in {state}")
    target, guard = table()[state, event]
    if guard and not GUARDS[guard](context):
        raise IllegalEvent(f"{event} is refused in {state}: {guard} does not hold")
    return target
