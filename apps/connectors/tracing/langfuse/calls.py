"""Read the tool calls that a trace shows, in the shapes that models are logged in.

They are OpenAI's (`choices`, `tool_calls`), Anthropic's (content blocks) and Gemini's (`candidates`, `functionCall`).
Pure; what cannot be read is left out.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from apps.connectors.agents.tool_calls import read_tool_calls
from apps.core.conversation import ToolCall

_ANSWERS = ("choices", "candidates", "contents")
_TOOL_SPAN = re.compile(r"(?:execute_tool|tool|function)[ :./_-]+(?P<name>[\w.-]+)", re.IGNORECASE)
_DEEPEST = 12


def decoded(raw: Any) -> Any:
    """A field as data; text that is no JSON stays text."""
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw


def calls_of(items: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """Return the tool calls of a trace.

    They are observations of tools, spans that are named after a tool, and calls that a model's output asks for where
    nothing else shows them.
    """
    calls = [call for item in items for call in _asked(decoded(item.get("output")), 0)]
    names = {str(call.name) for call in calls} | {
        name for item in items for name in _offered(decoded(item.get("input")))
    }
    shown = tuple(call for item in items if (name := _tool_of(item, names)) for call in _call(item, name))
    have = {call.name for call in shown}
    return (*shown, *(call for call in calls if call.name not in have))


def _tool_of(item: Mapping[str, Any], names: Iterable[str]) -> str:
    """The tool that an observation is a call of; empty where it is none."""
    name = str(item.get("name") or "")
    if item.get("type") == "TOOL":
        return name
    if item.get("type") != "SPAN":
        return ""
    metadata = decoded(item.get("metadata"))
    tool_name = (
        next((metadata[key] for key in ("tool_name", "gen_ai.tool.name") if metadata.get(key)), "")
        if isinstance(metadata, Mapping)
        else ""
    )
    match = _TOOL_SPAN.fullmatch(name)
    return str(tool_name) or (name if name in names else match["name"] if match else "")


def _call(item: Mapping[str, Any], name: str) -> tuple[ToolCall, ...]:
    given = decoded(item.get("input"))
    if isinstance(given, Mapping) and set(given) == {"args", "kwargs"} and isinstance(given["kwargs"], Mapping):
        given = given["kwargs"] or given["args"]
    calls, _ = read_tool_calls({"id": item.get("id"), "name": name, "arguments": given})
    return calls


def _asked(value: Any, depth: int) -> Iterator[ToolCall]:
    """Calls that an output asks for: `tool_calls`, blocks of type tool_use, and `functionCall` parts."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for one in value:
            yield from _asked(one, depth + 1)
        return
    if not isinstance(value, Mapping):
        return
    if isinstance(value.get("tool_calls"), list):
        yield from read_tool_calls(value["tool_calls"])[0]
    function = value.get("functionCall") or value.get("function_call")
    if isinstance(function, Mapping):
        yield from read_tool_calls(function)[0]
    if value.get("type") in ("tool_use", "function_call"):
        yield from read_tool_calls(value)[0]
        return
    for key in ("message", "messages", "content", "parts", "output", *_ANSWERS):
        if isinstance(value.get(key), (list, Mapping)):
            yield from _asked(value[key], depth + 1)


def _offered(value: Any) -> Iterator[str]:
    """The names of the tools that a model was offered."""
    tools = value.get("tools") if isinstance(value, Mapping) else None
    for tool in tools if isinstance(tools, list) else ():
        inner = (
            tool.get("function") if isinstance(tool, Mapping) and isinstance(tool.get("function"), Mapping) else tool
        )
        if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
            yield inner["name"]
