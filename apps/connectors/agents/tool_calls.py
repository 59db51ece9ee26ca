"""The tool calls an agent chose to show, with their results. Pure; what cannot be read is left out."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from apps.core.chat_parts import tool_call
from apps.core.conversation import ToolCall

MAX_CALLS = 100


def read_tool_calls(items: Any) -> tuple[tuple[ToolCall, ...], dict[str, str]]:
    """The calls, and their results by call id (text, or JSON where it was data). Calls without an id are numbered."""
    calls: list[ToolCall] = []
    results: dict[str, str] = {}
    for item in items if isinstance(items, list | tuple) else [items]:
        if not isinstance(item, Mapping) or len(calls) >= MAX_CALLS:
            continue
        call = tool_call(item)
        if call is None:
            continue
        call_id = call.id or f"call_{len(calls) + 1}"
        calls.append(replace(call, id=call_id, arguments=whole(call.arguments)))
        result = _first(item, ("result", "output", "response"))
        if result is not None:
            results[call_id] = result if isinstance(result, str) else json.dumps(whole(result), ensure_ascii=False)
    return tuple(calls), results


def is_call(data: Mapping[str, Any]) -> bool:
    """Tell whether a data part is itself one tool call."""
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


def _first(data: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((data[key] for key in keys if data.get(key) is not None), None)
