"""Tools in Anthropic's format: tools[].input_schema, blocks tool_use and tool_result. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any

from apps.connectors.llms.base import ChatMessage, ToolDefinition


def anthropic_tools(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """The tools' part of the request body; empty where none are offered."""
    if not tools:
        return {}
    return {
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in tools
        ]
    }


def anthropic_messages(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    """The messages of the body: results that follow one another stand in one user message."""
    blocks: list[dict[str, Any]] = []
    for message in messages:
        if message.result_of is not None:
            block = {"type": "tool_result", "tool_use_id": message.result_of.id, "content": message.content}
            if blocks and blocks[-1]["role"] == "user" and isinstance(blocks[-1]["content"], list):
                blocks[-1]["content"].append(block)
            else:
                blocks.append({"role": "user", "content": [block]})
        elif message.tool_calls:
            text = [{"type": "text", "text": message.content}] if message.content else []
            uses = [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
                for call in message.tool_calls
            ]
            blocks.append({"role": "assistant", "content": [*text, *uses]})
        else:
            blocks.append({"role": message.role, "content": message.content})
    return blocks
