"""Reading the tool calls an agent chose to show, in the shapes that are about. Pure; what cannot be read is left out.

{"id", "name", "arguments": {…} or JSON text, "result"?}          ours, and most agents'
{"id", "type": "function", "function": {"name", "arguments"}}     OpenAI
{"id", "name", "args"} / {"name", "input"} / {"toolName", …}      Google ADK, Anthropic, others
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from apps.core.conversation import ToolCall

MOST_CALLS = 100


def read_tool_calls(items: Any) -> tuple[tuple[ToolCall, ...], dict[str, str]]:
    """The calls, and their results by call id (text, or JSON where it was data). Calls without an id are numbered."""
    calls: list[ToolCall] = []
    results: dict[str, str] = {}
    for item in items if isinstance(items, list | tuple) else [items]:
        if not isinstance(item, Mapping) or len(calls) >= MOST_CALLS:
            continue
        function = item.get("function")
        inner: Mapping[str, Any] = function if isinstance(function, Mapping) else item
        name = _first(inner, ("name", "toolName", "tool_name", "tool"))
        if not isinstance(name, str) or not name:
            continue
        given = _first(item, ("id", "tool_call_id", "callId"))
        call_id = str(given) if given not in (None, "") else f"call_{len(calls) + 1}"
        calls.append(ToolCall(id=call_id, name=name, arguments=_arguments(inner)))
        result = _first(item, ("result", "output", "response"))
        if result is not None:
            results[call_id] = result if isinstance(result, str) else json.dumps(whole(result), ensure_ascii=False)
    return tuple(calls), results


def is_call(data: Mapping[str, Any]) -> bool:
    """Whether a data part is itself one tool call."""
    return isinstance(data.get("name"), str) and any(key in data for key in ("arguments", "args", "input"))


def whole(value: Any) -> Any:
    """Numbers that came as 3500.0 because a protobuf Struct knows no integers, as 3500 again, at any depth."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, Mapping):
        return {key: whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole(item) for item in value]
    return value


def _arguments(inner: Mapping[str, Any]) -> dict[str, Any]:
    given = _first(inner, ("arguments", "args", "input", "parameters"))
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {"raw": given}
    if isinstance(given, Mapping):
        return {str(key): whole(value) for key, value in given.items()}
    return {} if given is None else {"value": whole(given)}


def _first(data: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((data[key] for key in keys if data.get(key) is not None), None)
