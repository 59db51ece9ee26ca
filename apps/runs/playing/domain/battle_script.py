"""The customer's lines that a scenario fixes beforehand (catalog.domain.scenario_script), by their number. Pure."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.core.attached_files import AttachedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedLine:
    """The customer's words at this turn, to the letter. `ends`: the customer says nothing more."""

    text: str = ""
    ends: bool = False


def line_at(spec: Mapping[str, Any], number: int) -> ScriptedLine | None:
    """The customer's turn `number`, from 0, in a battle's frozen spec; None where the persona finds its own words. The
    opening is the first turn; the script's turns follow it."""
    opening = str(spec.get("opening") or "")
    if opening and number == 0:
        return ScriptedLine(text=opening)
    turn = _turn(spec, number)
    if turn is None or "free" in turn:
        return None
    return ScriptedLine(ends=True) if "end" in turn else ScriptedLine(text=str(turn["say"]))


def wholly_scripted(spec: Mapping[str, Any]) -> bool:
    """Tell whether every line of the customer is fixed, until the script ends the battle: nobody is simulated."""
    turns = list(_script(spec).get("turns") or ())
    return bool(turns) and "end" in turns[-1] and not any("free" in turn for turn in turns)


def files_at(spec: Mapping[str, Any], number: int) -> tuple[AttachedFile, ...]:
    """The files that go with the customer's turn `number`: its line's, and with the first turn the scenario's."""
    turn = None if spec.get("opening") and number == 0 else _turn(spec, number)
    named = [*(_script(spec).get("attachments") or () if number == 0 else ()), *((turn or {}).get("attachments") or ())]
    return tuple(
        AttachedFile(
            name=str(one["name"]), content=base64.b64decode(one["base64"]), media_type=str(one.get("media_type") or "")
        )
        for one in named
    )


def _turn(spec: Mapping[str, Any], number: int) -> Mapping[str, Any] | None:
    """The entry of the script that a turn belongs to; None behind its end."""
    at = number - (1 if spec.get("opening") else 0)
    for turn in _script(spec).get("turns") or ():
        length = int(turn.get("free") or 1)
        if at < length or "end" in turn:
            current: Mapping[str, Any] = turn
            return current
        at -= length
    return None


def _script(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    script: Mapping[str, Any] = spec.get("script") or {}
    return script
