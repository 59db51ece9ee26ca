"""The one reader of chat messages: who speaks, and what (`chat_parts`). Pure; never raises.

A message is OpenAI's {"role", "content"} or what others make of it: Gemini's and OpenTelemetry's {"role", "parts"},
LangChain's {"type": "human", …} and its {"lc", "id", "kwargs"}, ShareGPT's {"from", "value"}, items of the Responses
API (`function_call`, `function_call_output`, `message`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from apps.core.chat_parts import MessageParts, calls_in, read_parts, refusal_words, result_text
from apps.core.conversation import ToolCall, TurnRole

_ROLES: Mapping[str, TurnRole] = {
    **dict.fromkeys(("user", "human", "customer", "client", "humanmessage"), TurnRole.USER),
    **dict.fromkeys(("assistant", "ai", "model", "agent", "gpt", "bot", "aimessage"), TurnRole.ASSISTANT),
    **dict.fromkeys(("tool", "function", "observation", "toolmessage", "functionmessage"), TurnRole.TOOL),
    **dict.fromkeys(("system", "developer", "systemmessage"), TurnRole.SYSTEM),
}
_CHUNK = "messagechunk"
_SPOKEN = ("content", "parts", "value", "text", "message", "utterance")
READ_KEYS = frozenset(
    (
        "role",
        "type",
        "from",
        *_SPOKEN,
        "refusal",
        "tool_calls",
        "toolCalls",
        "function_call",
        "tool_call_id",
        "toolCallId",
        "call_id",
        "additional_kwargs",
        "name",
        "id",
        "lc",
        "kwargs",
        "data",
        "arguments",
        "output",
        "status",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """One turn of a message. `answers` is the id of the call that a tool's turn answers; `left_out` what stands in the
    text as a word in brackets."""

    role: TurnRole
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    name: str = ""
    left_out: tuple[str, ...] = ()


def role_named(name: Any) -> TurnRole | None:
    """Return the role for any of its usual names; None for an unknown name."""
    text = name.strip().lower() if isinstance(name, str) else ""
    return _ROLES.get(text.removesuffix(_CHUNK) if text.endswith(_CHUNK) else text)


def role_of(message: Mapping[str, Any]) -> TurnRole | None:
    """The role of a message's speaker; None where the message does not say."""
    message = unwrapped(message)
    named = (role_named(message.get(key)) for key in ("role", "from", "type", "sender", "speaker"))
    if role := next(filter(None, named), None):
        return role
    return {"function_call": TurnRole.ASSISTANT, "function_call_output": TurnRole.TOOL}.get(str(message.get("type")))


def unwrapped(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message inside LangChain's envelopes (`kwargs` of a constructor, `data` of a dict); itself where there is
    none."""
    inner = message.get("kwargs")
    if isinstance(inner, Mapping) and isinstance(message.get("id"), list) and message["id"]:
        return {"type": str(message["id"][-1]), **{key: value for key, value in inner.items() if key != "type"}}
    inner = message.get("data")
    if isinstance(inner, Mapping) and "content" in inner and role_named(message.get("type")):
        return {**inner, "type": message["type"]}
    return message


def chat_turns(message: Any, *, otherwise: TurnRole | None = None) -> Iterator[ChatTurn]:
    """The turns that one message is: mostly one; results of tools are turns of their own, before the words that stand
    beside them. Nothing for what names no role where there is none `otherwise`."""
    if isinstance(message, str) and otherwise is not None:
        yield ChatTurn(role=otherwise, text=message)
    if not isinstance(message, Mapping):
        return
    message = unwrapped(message)
    role = role_of(message) or otherwise
    if role is None:
        return
    name = message["name"] if isinstance(message.get("name"), str) else ""
    if message.get("type") == "function_call_output" or role is TurnRole.TOOL:
        yield from _results(message, name)
        return
    parts = spoken_parts(message)
    for result in parts.results:
        yield ChatTurn(role=TurnRole.TOOL, text=result.text, answers=result.call_id, name=result.name)
    if parts.text or parts.calls or not parts.results:
        yield ChatTurn(role=role, text=parts.text, calls=parts.calls, name=name, left_out=parts.left_out)


def spoken_parts(message: Mapping[str, Any], *, between: str | None = None) -> MessageParts:
    """The words and tool calls of a message, wherever they stand in it; a refusal counts as words where there are no
    others. `between` as in `content_words`."""
    if message.get("type") == "function_call":
        return read_parts([message])
    content = next((message[key] for key in _SPOKEN if message.get(key) not in (None, "", [])), None)
    parts = read_parts(content, between=between)
    calls = parts.calls or tuple(calls_in(message))
    return parts._replace(text=parts.text or refusal_words(message), calls=calls)


def _results(message: Mapping[str, Any], name: str) -> Iterator[ChatTurn]:
    content = next((message[key] for key in ("content", "output", "parts") if message.get(key) is not None), "")
    results = read_parts(content).results if not isinstance(content, str) else ()
    if results:
        for result in results:
            yield ChatTurn(role=TurnRole.TOOL, text=result.text, answers=result.call_id, name=result.name or name)
        return
    text = result_text(content)
    given = next((message[key] for key in ("tool_call_id", "toolCallId", "call_id") if message.get(key)), "")
    yield ChatTurn(role=TurnRole.TOOL, text=text, answers=str(given), name=name)
