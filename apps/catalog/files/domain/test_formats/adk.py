"""Read Google ADK's eval sets (`.evalset.json`, and the lists of `.test.json`) → scenarios.

The user's words are fixed, expected tool uses are tools that must be called with their arguments, an expected answer is
what a judge decides.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase
from apps.catalog.files.domain.test_formats.reading import json_value
from apps.core.chat_messages import chat_turns
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput


def read(text: str, into: Collected) -> None:
    """Every case of the set; of a `.test.json` the whole file is one. Raises BadInput for what is neither."""
    value = json_value(text, into.file)
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "query" in one for one in value):
        _take(into, "[0]", into.file.partition(".")[0], [_older(one) for one in value])
        return
    cases = value.get("eval_cases") if isinstance(value, Mapping) else value
    if not isinstance(cases, list):
        raise BadInput(f"{into.file} has no eval_cases", code="no_cases", pointer="")
    for number, case in enumerate(cases):
        named = case if isinstance(case, Mapping) else {}
        name = str(named.get("eval_id") or named.get("name") or "")
        rows = named.get("conversation") or named.get("data")
        _take(into, f"[{number}]", name, rows if isinstance(rows, list) else [])


def _take(into: Collected, place: str, name: str, rows: list[Any]) -> None:
    case = ImportedCase(key=name, goal=name)
    try:
        for number, row in enumerate(rows):
            _turn(case, row if isinstance(row, Mapping) else {}, f"conversation/{number}")
        if not case.lines:
            raise BadInput("no turn has the user's words")
    except BadInput as error:
        into.refuse(place, error.message, name)
    else:
        into.take(place, case)


def _older(row: Mapping[str, Any]) -> dict[str, Any]:
    uses = [
        {"name": one.get("tool_name"), "args": one.get("tool_input")}
        for one in row.get("expected_tool_use") or ()
        if isinstance(one, Mapping)
    ]
    answer = str(row.get("reference") or "")
    return {
        "user_content": {"parts": [{"text": str(row.get("query") or "")}]},
        "final_response": {"parts": [{"text": answer}]} if answer else None,
        "intermediate_data": {"tool_uses": uses},
    }


def _turn(case: ImportedCase, row: Mapping[str, Any], place: str) -> None:
    words = "".join(_texts(row.get("user_content"), TurnRole.USER)).strip()
    if not words:
        raise BadInput(f"{place}/user_content has no words of the user")
    case.lines.append(words)
    between = row.get("intermediate_data")
    for use in (between.get("tool_uses") if isinstance(between, Mapping) else None) or ():
        if isinstance(use, Mapping) and use.get("name"):
            arguments = use.get("args") if isinstance(use.get("args"), Mapping) else {}
            case.assertions.append({"tool": str(use["name"]), **({"arguments": dict(arguments)} if arguments else {})})
    answer = "".join(_texts(row.get("final_response"), TurnRole.ASSISTANT)).strip()
    if answer:
        case.criteria.append(f"When the customer says “{words[:300]}”, the agent says in substance: “{answer[:900]}”")


def _texts(content: Any, role: TurnRole) -> Iterator[str]:
    if isinstance(content, Mapping):
        for turn in chat_turns({"role": role.value, **content}, otherwise=role):
            if turn.left_out:
                raise BadInput(f"a message holds {turn.left_out[0]}: pictures and sounds are not taken")
            yield turn.text
