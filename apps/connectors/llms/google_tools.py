"""Tools in Google's format: tools[].functionDeclarations, parts functionCall and functionResponse. Pure.

A call's thoughtSignature goes back with it: models that think refuse the next request without it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from apps.connectors.llms.base import ChatMessage, ToolDefinition
from apps.connectors.llms.tool_reading import numbered, objects_in
from apps.core.chat_parts import call_of_part
from apps.core.conversation import ToolCall

_SIGNATURE = "thoughtSignature"


def google_tools(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """The tools' part of the request body; empty where none are offered."""
    if not tools:
        return {}
    declared = [
        {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}
        for tool in tools
    ]
    return {"tools": [{"functionDeclarations": declared}]}


def google_contents(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    """The contents of the body: results that follow one another stand in one."""
    contents: list[dict[str, Any]] = []
    for message in messages:
        if message.result_of is not None:
            called = message.result_of
            part = {"functionResponse": {"name": called.name, "response": {"result": message.content}}}
            if contents and "functionResponse" in contents[-1]["parts"][-1]:
                contents[-1]["parts"].append(part)
            else:
                contents.append({"role": "user", "parts": [part]})
            continue
        text = [{"text": message.content}] if message.content or not message.tool_calls else []
        calls = [
            {"functionCall": {"name": call.name, "args": dict(call.arguments)}}
            | ({_SIGNATURE: call.extra[_SIGNATURE]} if _SIGNATURE in call.extra else {})
            for call in message.tool_calls
        ]
        contents.append({"role": "model" if message.role == "assistant" else "user", "parts": [*text, *calls]})
    return contents


def google_calls(parts: Any) -> tuple[ToolCall, ...]:
    """The functionCall parts of an answer."""
    return numbered(
        replace(call, extra={_SIGNATURE: part[_SIGNATURE]} if isinstance(part.get(_SIGNATURE), str) else {})
        for part in objects_in(parts)
        if (call := call_of_part(part)) is not None
    )
