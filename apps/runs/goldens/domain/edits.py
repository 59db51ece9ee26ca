"""A curator's edits of a golden session's turns: gates, tools and descriptions, never the words spoken. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from apps.core.errors import BadInput
from apps.core.patterns import compile_pattern
from apps.runs.goldens.domain.documents import check_golden_turn
from apps.runs.goldens.domain.listed_variables import with_listed_variables
from apps.runs.goldens.domain.pinned_tools import with_expected_calls

FIELDS = ("wait_for_pattern", "gate_timeout", "expected_tools", "step_agents", "description")
MAX_DESCRIPTION = 2_000


def edited(document: Mapping[str, Any], edits: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """The document with these fields of its assistant turns ({position: {field: value}}); an empty value takes a field
    out. A tool is its name, or the longer form as JSON or an object. Raises BadInput with the pointer of the field."""
    if any("expected_tools" in fields for fields in edits.values()):
        document = with_expected_calls(document)
    turns = [dict(turn) for turn in document.get("turns") or ()]
    for position, fields in edits.items():
        pointer = f"/turns/{position}"
        if not 0 <= position < len(turns) or turns[position].get("role") != "assistant":
            raise BadInput(f"{pointer} is no turn of the agent", pointer=pointer)
        turn = turns[position]
        before = turn.get("wait_for_pattern")
        for name, value in fields.items():
            if name not in FIELDS:
                raise BadInput(f"{pointer}/{name} cannot be edited", pointer=f"{pointer}/{name}")
            if name == "expected_tools" and not value and turn.get("tool_calls"):
                turn[name] = []  # a person wants none of its calls held: without a word they would be
            elif value in (None, "", []):
                turn.pop(name, None)
            else:
                turn[name] = _entries(value, f"{pointer}/{name}") if isinstance(value, list) else value
        description = turn.get("description", "")
        if not isinstance(description, str) or len(description) > MAX_DESCRIPTION:
            at = f"{pointer}/description"
            raise BadInput(f"{at} must be a text of at most {MAX_DESCRIPTION:,} characters", pointer=at)
        check_golden_turn(turn, pointer)
        if turn.get("wait_for_pattern") != before:
            turn.pop("gate_from", None)  # a person wrote it
            _check_fits(turn, f"{pointer}/wait_for_pattern")
        if not turn.get("wait_for_pattern"):
            turn.pop("gate_strength", None)
    return with_listed_variables({**document, "turns": turns})


def _check_fits(turn: Mapping[str, Any], pointer: str) -> None:
    """A gate that its own golden reply does not open keeps every replay out of step."""
    pattern = turn.get("wait_for_pattern")
    if pattern and not compile_pattern(str(pattern)).found_in(str(turn.get("content") or "")):
        raise BadInput(
            f"{pointer}: {str(pattern)[:100]!r} does not fit this turn's own reply, so no replay would ever pass it",
            code="gate_does_not_fit",
            pointer=pointer,
        )


def names_of(value: Any) -> list[str]:
    """The names of a list of tools or step agents, however they are written."""
    listed = value if isinstance(value, list) else []
    return [str(one.get("name") or "") if isinstance(one, Mapping) else str(one) for one in listed]


def tool_lines(value: Any) -> list[str]:
    """Tools as a person edits them, one a line: a name, or the longer form as JSON. `edited` reads them back as they
    were."""
    listed = value if isinstance(value, list) else []
    return [json.dumps(one, ensure_ascii=False) if isinstance(one, Mapping) else str(one) for one in listed]


def shown_fields(turn: Mapping[str, Any]) -> dict[str, str]:
    """A turn's expectations as the texts of a form; a form that comes back with the same texts has changed nothing."""
    timeout = turn.get("gate_timeout")
    seconds = f"{timeout:g}" if isinstance(timeout, (int, float)) else str(timeout or "")
    return {
        "wait_for_pattern": str(turn.get("wait_for_pattern") or ""),
        "gate_timeout": seconds,
        "expected_tools": "\n".join(tool_lines(turn.get("expected_tools"))),
        "description": str(turn.get("description") or ""),
    }


def touched(turn: Mapping[str, Any], typed: Mapping[str, str]) -> dict[str, str]:
    """The fields whose text differs from what the form showed; line ends are as browsers write them."""
    shown = {name: _plain(text) for name, text in shown_fields(turn).items()}
    return {name: text for name, text in typed.items() if _plain(text) != shown.get(name)}


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))


def _entries(listed: list[Any], pointer: str) -> list[Any]:
    return [_read(one, f"{pointer}/{at}") if isinstance(one, str) else one for at, one in enumerate(listed)]


def _read(name: str, pointer: str) -> Any:
    """A name, or the longer form written as JSON. Raises BadInput for what only looks like JSON."""
    if name.lstrip()[:1] not in ("{", "["):
        return name
    try:
        return json.loads(name)
    except ValueError as error:
        raise BadInput(f"{pointer}: {name[:100]!r} is neither a name nor JSON: {error}", pointer=pointer) from None
