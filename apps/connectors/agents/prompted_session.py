"""The conversation of an agent that is a prompt, as plain data of its session. Pure."""

from collections.abc import Mapping
from typing import Any

from apps.connectors.llms.base import ChatMessage
from apps.core.conversation import ToolCall


def stored_message(message: ChatMessage) -> dict[str, Any]:
    """A message as plain data of the session."""
    data: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        data["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.result_of is not None:
        data["result_of"] = _call(message.result_of)
    return data


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "arguments": dict(call.arguments), "extra": dict(call.extra)}


def read_message(data: Mapping[str, Any]) -> ChatMessage:
    """A message as it was stored."""
    result_of = data.get("result_of")
    return ChatMessage(
        data["role"],
        data["content"],
        tool_calls=tuple(ToolCall(**call) for call in data.get("tool_calls", ())),
        result_of=ToolCall(**result_of) if result_of else None,
    )
