"""A Pega tracer's export (downloaded by hand): the one source that shows the tool calls themselves. Pure.

{"conversation_history": [{"history": [{"role", "content", "tool_calls": [{"id", "function": {"name",
 "arguments"}}]}]}], "plugins": […], "metrics": […]}
"""

from collections.abc import Mapping
from typing import Any

from apps.connectors.agents.tool_calls import read_tool_calls
from apps.connectors.pega.texts import pega_time, plain_text
from apps.core.chat_messages import role_named
from apps.core.chat_parts import content_words
from apps.core.conversation import TurnRole, Utterance
from apps.core.errors import BadInput


def is_tracer_export(data: Any) -> bool:
    """Tell whether a JSON document is such an export."""
    return isinstance(data, Mapping) and isinstance(data.get("conversation_history"), list)


def read_tracer(data: Any) -> tuple[Utterance, ...]:
    """Read the messages of an export, oldest first, with their tool calls and without system messages.

    Raises BadInput with the pointer for what is no export, a message of an unknown role, and for one without messages.
    """
    if not is_tracer_export(data):
        raise BadInput("a tracer's export has a list named conversation_history", pointer="/conversation_history")
    turns: list[Utterance] = []
    for part, item in enumerate(data["conversation_history"]):
        history = item.get("history") if isinstance(item, Mapping) else None
        if not isinstance(history, list):
            raise BadInput("a list named history is missing", pointer=f"/conversation_history/{part}/history")
        for number, message in enumerate(history):
            turn = _turn(message, f"/conversation_history/{part}/history/{number}")
            if turn.role is not TurnRole.SYSTEM:
                turns.append(turn)
    if not turns:
        raise BadInput("the export holds no message", pointer="/conversation_history")
    return tuple(turns)


def _turn(message: Any, pointer: str) -> Utterance:
    role = role_named(message.get("role")) if isinstance(message, Mapping) else None
    if role is None:
        raise BadInput(f"a message's role is one of {', '.join(TurnRole)}", pointer=f"{pointer}/role")
    calls, _ = read_tool_calls(message.get("tool_calls") or [])
    call_id = message.get("tool_call_id")
    name = message.get("name")
    return Utterance(
        role=role,
        content=plain_text(content_words(message.get("content"))),
        tool_calls=calls if role is TurnRole.ASSISTANT else (),
        tool_call_id=str(call_id) if call_id and role is TurnRole.TOOL else None,
        name=str(name) if name and role is TurnRole.TOOL else None,
        ts=pega_time(message.get("timestamp") or message.get("createdOn") or message.get("pxCreateDateTime")),
    )
