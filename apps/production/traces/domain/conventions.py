"""Read the messages of a model's call where each convention keeps them: its input, and its answer.

Pure. The messages themselves are read by `core.chat_messages`, whatever their shape.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from apps.connectors.tracing.langfuse.messages import messages_in

Attributes = Mapping[str, Any]
Side = Sequence[Any]  # of messages, as they stand there

CONVERSATION_NAMES = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "ai.telemetry.metadata.sessionId",
    "gcp.vertex.agent.session_id",
)
_OPERATIONS = frozenset({"chat", "text_completion", "generate_content"})
_NUMBERED = re.compile(r"(\d{1,4})\.(.+)")


def is_call(attributes: Attributes) -> bool:
    """Tell whether the span is one call of a model, and no agent or chain around it."""
    kind = str(attributes.get("openinference.span.kind") or "").upper()
    return (
        kind == "LLM"
        or (not kind and attributes.get("gen_ai.operation.name") in _OPERATIONS)
        or attributes.get("llm.request.type") in ("chat", "completion")
        or attributes.get("langfuse.observation.type") == "generation"
        or str(attributes.get("ai.operationId") or "").endswith((".doGenerate", ".doStream"))
        or "gcp.vertex.agent.llm_request" in attributes
    )


def sides_of(attributes: Attributes) -> tuple[Side, Side]:
    """The messages given to the model and its answers, by the first convention that holds anything."""
    for read in _CONVENTIONS:
        given, answered = read(attributes)
        if given or answered:
            return given, answered
    return [], []


def decoded(value: Any) -> Any:
    """JSON text as data; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def listed(value: Any, *, role: str) -> list[Any]:
    """The messages of a JSON text: a list of them, one, or parts alone, which are one message of `role`."""
    entries = decoded(value)
    items = [entry for entry in (entries if isinstance(entries, list) else [entries]) if isinstance(entry, Mapping)]
    if items and all(not _SPEAKERS & item.keys() for item in items):
        return [{"role": role, "parts": items}]
    return items


_SPEAKERS = frozenset(("role", "from", "lc", "kwargs"))


def _genai(attributes: Attributes) -> tuple[Side, Side]:
    return (
        listed(attributes.get("gen_ai.input.messages"), role="user"),
        listed(attributes.get("gen_ai.output.messages"), role="assistant"),
    )


def _openinference(attributes: Attributes) -> tuple[Side, Side]:
    given, answered = (_numbered(attributes, f"llm.{side}_messages.") for side in ("input", "output"))
    return [_flat(one, "user") for one in given], [_flat(one, "assistant") for one in answered]


def _traceloop(attributes: Attributes) -> tuple[Side, Side]:
    given, answered = (_numbered(attributes, f"gen_ai.{side}.") for side in ("prompt", "completion"))
    return [_dumped(one, "user") for one in given], [_dumped(one, "assistant") for one in answered]


def _vercel(attributes: Attributes) -> tuple[Side, Side]:
    calls = decoded(attributes.get("ai.response.toolCalls"))
    answer = {"role": "assistant", "content": attributes.get("ai.response.text") or "", "tool_calls": calls}
    answered = [answer] if answer["content"] or calls else []
    return listed(attributes.get("ai.prompt.messages"), role="user"), answered


def _langfuse(attributes: Attributes) -> tuple[Side, Side]:
    given, answered = (decoded(attributes.get(f"langfuse.observation.{side}")) for side in ("input", "output"))
    return ([] if given is None else messages_in(given)), ([] if answered is None else messages_in(answered))


def _adk(attributes: Attributes) -> tuple[Side, Side]:
    request_message, came = (
        decoded(attributes.get(f"gcp.vertex.agent.llm_{side}")) for side in ("request", "response")
    )
    config = request_message.get("config") if isinstance(request_message, Mapping) else None
    system = config.get("system_instruction") if isinstance(config, Mapping) else None
    given = request_message.get("contents") if isinstance(request_message, Mapping) else None
    content = came.get("content") if isinstance(came, Mapping) else None
    system_messages = [{"role": "system", "content": system}] if isinstance(system, str) else []
    return [*system_messages, *(given if isinstance(given, list) else [])], [content] if isinstance(
        content, Mapping
    ) else []


_CONVENTIONS: Sequence[Callable[[Attributes], tuple[Side, Side]]] = (
    _genai,
    _openinference,
    _traceloop,
    _vercel,
    _langfuse,
    _adk,
)


def _numbered(attributes: Attributes, prefix: str) -> list[dict[str, Any]]:
    """The fields under `prefix` and a number, by the number."""
    held: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if key.startswith(prefix) and (match := _NUMBERED.fullmatch(key[len(prefix) :])) is not None:
            held.setdefault(int(match[1]), {})[match[2]] = value
    return [held[number] for number in sorted(held)]


def _flat(fields: Mapping[str, Any], role: str) -> dict[str, Any]:
    """OpenInference: `message.role`, `message.contents.N.message_content.…`, `message.tool_calls.N.tool_call.…`."""
    plain_fields = {name.removeprefix("message."): value for name, value in fields.items()}
    parts = [
        {name.removeprefix("message_content."): value for name, value in one.items()}
        for one in _numbered(plain_fields, "contents.")
    ]
    calls = [
        {name.removeprefix("tool_call.").removeprefix("function."): value for name, value in one.items()}
        for one in _numbered(plain_fields, "tool_calls.")
    ]
    return {
        "role": plain_fields.get("role") or role,
        "content": plain_fields.get("content") or parts,
        "tool_calls": calls,
        "tool_call_id": plain_fields.get("tool_call_id"),
    }


def _dumped(fields: Mapping[str, Any], role: str) -> dict[str, Any]:
    """Traceloop: a content that is a list stands there as its JSON."""
    content = fields.get("content")
    parts = decoded(content) if isinstance(content, str) and content.startswith("[{") else content
    calls = _numbered(fields, "tool_calls.")
    return {
        "role": fields.get("role") or role,
        "content": parts if isinstance(parts, list) else content,
        "tool_calls": calls,
        "tool_call_id": fields.get("tool_call_id"),
    }
