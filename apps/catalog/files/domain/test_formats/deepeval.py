"""Read DeepEval's goldens as `save_as` writes them (JSON, JSONL, CSV).

Rows with `turns` → golden sessions, with `scenario` → scenarios with persona and goal, with `input` and
`expected_output` → golden sessions of one turn.
"""

from collections.abc import Mapping
from typing import Any

from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase, texts_of
from apps.catalog.files.domain.test_formats.reading import rows_of
from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json

_READ = (
    "scenario",
    "turns",
    "expected_outcome",
    "user_description",
    "persona",
    "expectations",
    "input",
    "expected_output",
    "expected_tools",
    "name",
)
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def read(text: str, into: Collected) -> None:
    """Every row. Raises BadInput for a file that is no list."""
    for place, row in rows_of(text, into.file, key="goldens"):
        try:
            into.take(place, _case(row))
        except BadInput as error:
            into.refuse(place, error.message)


def _case(row: Any) -> ImportedCase:
    if isinstance(row, BadInput):
        raise row
    if not isinstance(row, Mapping):
        raise BadInput("a golden is an object with a scenario or an input")
    left = [f"{key}: not read" for key, value in row.items() if key not in _READ and value not in _EMPTY]
    case = ImportedCase(left_out=left)
    background, question = _words(row, "scenario"), _words(row, "input")
    if row.get("turns") not in _EMPTY:
        case.turns = _turns(row["turns"])
        case.left_out += ["scenario and outcome: the turns are a golden session"] if background else []
    elif background:
        case.goal = background
        case.persona = "\n\n".join(one for one in (_words(row, "persona"), _words(row, "user_description")) if one)
        case.criteria = [*texts_of(row.get("expected_outcome")), *texts_of(row.get("expectations"))]
    elif question and _words(row, "expected_output"):
        reply = {"role": "assistant", "content": _words(row, "expected_output")}
        case.turns = [{"role": "user", "content": question}, reply]
    elif question:
        case.opening = question
    else:
        raise BadInput("neither a scenario, nor turns, nor an input")
    tools = [_name_of(expected_tool) for expected_tool in row.get("expected_tools") or [] if _name_of(expected_tool)]
    if case.turns:
        case.left_out += ["expected_tools: a golden session names them at its turns"] if tools else []
    else:
        case.assertions = [{"tool": tool} for tool in tools]
    return case


def _turns(raw: Any) -> list[dict[str, Any]]:
    if isinstance(raw, str):  # older versions wrote a list as the text of its JSON
        try:
            raw = decoded_json(raw)
        except (ValueError, RecursionError):
            raise BadInput("turns is a text that is no JSON") from None
    if not isinstance(raw, list):
        raise BadInput("turns is no list")
    turns = []
    for number, one in enumerate(raw):
        if not isinstance(one, Mapping) or not isinstance(one.get("content"), str):
            raise BadInput(f"turns/{number} is no turn with a role and a content")
        calls = [
            {"id": f"call-{number}-{n}", "name": name, "arguments": _arguments(call)}
            for n, call in enumerate(one.get("tools_called") or [])
            if (name := _name_of(call))
        ]
        turns.append({"role": one.get("role"), "content": one["content"], **({"tool_calls": calls} if calls else {})})
    return turns


def _name_of(call: Any) -> str:
    name = call.get("name") if isinstance(call, Mapping) else call
    return name if isinstance(name, str) else ""


def _arguments(call: Any) -> dict[str, Any]:
    given = call.get("input_parameters", call.get("inputParameters")) if isinstance(call, Mapping) else None
    return dict(given) if isinstance(given, Mapping) else {}


def _words(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{key} is no text")
    return (value or "").strip()
