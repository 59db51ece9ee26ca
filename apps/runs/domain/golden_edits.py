"""What a curator changes of a golden session's turns: gates, tools and descriptions, never what was said. Pure."""

from collections.abc import Mapping
from typing import Any

from apps.core.errors import BadInput
from apps.runs.domain.golden_documents import check_golden_turn
from apps.runs.domain.listed_variables import with_listed_variables

FIELDS = ("wait_for_pattern", "gate_timeout", "expected_tools", "step_agents", "description")
MAX_DESCRIPTION = 2_000


def edited(document: Mapping[str, Any], edits: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """The document with these fields of its assistant turns ({position: {field: value}}); an empty value takes a field
    out. Tools that were kept with more than their name keep it. Raises BadInput with the pointer of the field."""
    turns = [dict(turn) for turn in document.get("turns") or ()]
    for position, fields in edits.items():
        pointer = f"/turns/{position}"
        if not 0 <= position < len(turns) or turns[position].get("role") != "assistant":
            raise BadInput(f"{pointer} is no turn of the agent", pointer=pointer)
        turn = turns[position]
        for name, value in fields.items():
            if name not in FIELDS:
                raise BadInput(f"{pointer}/{name} cannot be edited", pointer=f"{pointer}/{name}")
            if value in (None, "", []):
                turn.pop(name, None)
            else:
                turn[name] = _whole(turn.get(name), value) if isinstance(value, list) else value
        description = turn.get("description", "")
        if not isinstance(description, str) or len(description) > MAX_DESCRIPTION:
            at = f"{pointer}/description"
            raise BadInput(f"{at} must be a text of at most {MAX_DESCRIPTION:,} characters", pointer=at)
        check_golden_turn(turn, pointer)
        if not turn.get("wait_for_pattern"):
            turn.pop("gate_strength", None)
    return with_listed_variables({**document, "turns": turns})


def names_of(value: Any) -> list[str]:
    """The names of a list of tools or step agents, however they are written."""
    listed = value if isinstance(value, list) else []
    return [str(one.get("name") or "") if isinstance(one, Mapping) else str(one) for one in listed]


def _whole(before: Any, names: list[Any]) -> list[Any]:
    listed = before if isinstance(before, list) else []
    known = {name: one for name, one in zip(names_of(listed), listed, strict=True)}
    return [known.get(name, name) if isinstance(name, str) else name for name in names]
