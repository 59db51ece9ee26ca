"""Tools in OpenAI's format: tools[].function, message.tool_calls[].function (arguments as JSON text), role "tool".

Pure.
"""

import json
from collections.abc import Sequence
from typing import Any

from apps.connectors.llms.base import ChatMessage, ToolDefinition


def openai_tools(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """The tools' part of the request body; empty where none are offered."""
    if not tools:
        return {}
    return {
        "tools": [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            }
            for tool in tools
        ]
    }


def openai_message(message: ChatMessage) -> dict[str, Any]:
    """One message of the body."""
    if message.result_of is not None:
        return {"role": "tool", "tool_call_id": message.result_of.id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)},
        }
        for call in message.tool_calls
    ]
    return {"role": message.role, "content": message.content or None, "tool_calls": calls}
