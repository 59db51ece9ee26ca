"""What a span says of a conversation: GenAI semantic conventions and OpenInference, by their attributes.

GenAI: messages as JSON texts in `gen_ai.input.messages` and `gen_ai.output.messages`, the conversation in
`gen_ai.conversation.id`. OpenInference: flat keys `llm.input_messages.N.message.…`, the conversation in `session.id`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_MESSAGES = 1_000  # of one call
_FLAT = re.compile(r"llm\.(input|output)_messages\.(\d{1,4})\.message\.(.+)")
_CALL = re.compile(r"tool_calls\.(\d{1,3})\.tool_call\.(id|function\.name|function\.arguments)")
_PART = re.compile(r"contents\.(\d{1,3})\.message_content\.text")
_TALKS = frozenset({"chat", "text_completion", "generate_content", "invoke_agent"})
_BESIDE = frozenset({"GUARDRAIL", "EVALUATOR"})  # what happens under these is no turn
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
          "tool": "tool", "function": "tool", "system": "system", "developer": "system"}  # fmt: skip
_CONVERSATION = ("gen_ai.conversation.id", "session.id")


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedMessage:
    """One message of a call. `calls` are (id, name, arguments) of tools; `answers` is the id of the call that a tool's
    message answers."""

    role: str
    text: str = ""
    calls: tuple[tuple[str, str, Any], ...] = ()
    answers: str = ""

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two the same, wherever they are repeated: ids of calls may be written anew."""
        return (self.role, self.text.strip(), tuple((name, _canonical(given)) for _, name, given in self.calls))

    def as_json(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "text": self.text,
            "calls": [list(one) for one in self.calls],
            "answers": self.answers,
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "TracedMessage":
        calls = tuple((str(id), str(name), given) for id, name, given in raw["calls"])
        return cls(role=raw["role"], text=raw["text"], calls=calls, answers=raw["answers"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanReading:
    """`is_call`: it is a call of a model. `beside`: what is under it is no turn. `system` is the system text, by which
    lines of a conversation are told apart."""

    is_call: bool
    beside: bool
    conversation: str
    system: str
    given: tuple[TracedMessage, ...]
    answered: tuple[TracedMessage, ...]

    @property
    def has_text(self) -> bool:
        return any(one.text or one.calls for one in (*self.given, *self.answered))


def read_span(attributes: Mapping[str, Any]) -> SpanReading:
    """Pure; never raises for what stands in a span."""
    kind = str(attributes.get("openinference.span.kind") or "").upper()
    operation = str(attributes.get("gen_ai.operation.name") or "")
    is_call = kind == "LLM" or (not kind and operation in _TALKS - {"invoke_agent"})
    given, answered = (_messages(attributes, side) for side in ("input", "output")) if is_call else ((), ())
    instructions = [one for one in _genai(attributes.get("gen_ai.system_instructions"), "system")]
    system = [one.text for one in (*instructions, *given) if one.role == "system"]
    return SpanReading(
        is_call=is_call,
        beside=kind in _BESIDE,
        conversation=next((text for name in _CONVERSATION if (text := _text(attributes.get(name)))), "")[:200],
        system="\n".join(system),
        given=tuple(one for one in given if one.role != "system"),
        answered=tuple(one for one in answered if one.role != "system"),
    )


def _messages(attributes: Mapping[str, Any], side: str) -> tuple[TracedMessage, ...]:
    genai = attributes.get(f"gen_ai.{side}.messages")
    role = "assistant" if side == "output" else "user"
    found = list(_genai(genai, role)) if genai is not None else _flat(attributes, side, role)
    return tuple(found[:MOST_MESSAGES])


def _genai(value: Any, otherwise: str) -> Iterator[TracedMessage]:
    """A JSON text of [{"role", "parts": […]}], or of parts alone (system instructions); also given as plain data."""
    messages = _decoded(value)
    if isinstance(messages, list) and all(isinstance(one, Mapping) and "role" not in one for one in messages):
        messages = [{"role": otherwise, "parts": messages}] if messages else []
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, Mapping):
            continue
        role = _ROLES.get(str(message.get("role") or otherwise).lower(), "")
        parts = message.get("parts")
        parts = parts if isinstance(parts, list) else [{"type": "text", "content": message.get("content")}]
        if role:
            yield from _of_parts(role, [one for one in parts if isinstance(one, Mapping)])


def _of_parts(role: str, parts: Sequence[Mapping[str, Any]]) -> Iterator[TracedMessage]:
    texts = [str(one.get("content")) for one in parts if one.get("type") in ("text", None) and one.get("content")]
    calls = tuple(
        (_text(one.get("id")), _text(one.get("name")), _decoded(one.get("arguments")))
        for one in parts
        if one.get("type") == "tool_call"
    )
    answers = [one for one in parts if one.get("type") == "tool_call_response"]
    for one in answers:
        result = one.get("response", one.get("result"))
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
        yield TracedMessage(role="tool", text=text, answers=_text(one.get("id")))
    if texts or calls or not answers:
        yield TracedMessage(role=role, text="\n".join(texts), calls=calls)


def _flat(attributes: Mapping[str, Any], side: str, otherwise: str) -> list[TracedMessage]:
    """OpenInference: the numbers in the keys are the order."""
    held: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if (found := _FLAT.fullmatch(key)) is not None and found[1] == side:
            held.setdefault(int(found[2]), {})[found[3]] = value
    messages = list[TracedMessage]()
    for number in sorted(held):
        fields = held[number]
        role = _ROLES.get(str(fields.get("role") or otherwise).lower(), "")
        if role:
            parts = sorted(
                (int(one[1]), str(value)) for name, value in fields.items() if (one := _PART.fullmatch(name))
            )
            text = _text(fields.get("content")) or "\n".join(text for _, text in parts)
            answers = _text(fields.get("tool_call_id"))
            messages.append(TracedMessage(role=role, text=text, calls=_flat_calls(fields), answers=answers))
    return messages


def _flat_calls(fields: Mapping[str, Any]) -> tuple[tuple[str, str, Any], ...]:
    held: dict[int, dict[str, Any]] = {}
    for name, value in fields.items():
        if (found := _CALL.fullmatch(name)) is not None:
            held.setdefault(int(found[1]), {})[found[2]] = value
    calls = (held[number] for number in sorted(held))
    return tuple(
        (_text(one.get("id")), _text(one.get("function.name")), _decoded(one.get("function.arguments")))
        for one in calls
    )


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
