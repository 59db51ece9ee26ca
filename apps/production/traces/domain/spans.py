"""Read a conversation from a span: GenAI semantic conventions, OpenInference and others (`trace_conventions`)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from apps.core.chat_messages import chat_turns
from apps.core.conversation import TurnRole
from apps.production.traces.domain.conventions import CONVERSATION_NAMES, is_call, listed, sides_of

MAX_MESSAGES = 1_000  # of one call
_BESIDE = frozenset({"GUARDRAIL", "EVALUATOR"})  # what happens under these is no turn


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
        """The key by which two messages are the same, wherever they are repeated: ids of calls may be written anew."""
        return (self.role, self.text.strip(), tuple((name, _canonical(given)) for _, name, given in self.calls))

    def as_json(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "text": self.text,
            "calls": [list(call) for call in self.calls],
            "answers": self.answers,
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "TracedMessage":
        calls = tuple((str(id), str(name), given) for id, name, given in raw["calls"])
        return cls(role=raw["role"], text=raw["text"], calls=calls, answers=raw["answers"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanReading:
    """One span as it was read.

    `is_call` marks a model call; `beside`: the spans under it are no turns. `system` is the system prompt, which tells
    threads of one conversation apart.
    """

    is_call: bool
    beside: bool
    conversation: str
    system: str
    given: tuple[TracedMessage, ...]
    answered: tuple[TracedMessage, ...]

    @property
    def has_text(self) -> bool:
        return any(message.text or message.calls for message in (*self.given, *self.answered))


def read_span(attributes: Mapping[str, Any]) -> SpanReading:
    """Pure; never raises for what stands in a span."""
    calls = is_call(attributes)
    sides = sides_of(attributes) if calls else ((), ())
    given, answered = (
        tuple(islice(_read(side, role), MAX_MESSAGES))
        for side, role in zip(sides, (TurnRole.USER, TurnRole.ASSISTANT), strict=True)
    )
    system_messages = listed(attributes.get("gen_ai.system_instructions"), role="system")
    system = [
        message.text for message in (*_read(system_messages, TurnRole.SYSTEM), *given) if message.role == "system"
    ]
    return SpanReading(
        is_call=calls,
        beside=str(attributes.get("openinference.span.kind") or "").upper() in _BESIDE,
        conversation=next((text for name in CONVERSATION_NAMES if (text := _text(attributes.get(name)))), "")[:200],
        system="\n".join(system),
        given=tuple(one for one in given if one.role != "system"),
        answered=tuple(one for one in answered if one.role != "system"),
    )


def _read(messages: Iterable[Any], otherwise: TurnRole) -> Iterator[TracedMessage]:
    for message in messages:
        for turn in chat_turns(message, otherwise=otherwise):
            calls = tuple((call.id or "", call.name, dict(call.arguments)) for call in turn.calls)
            yield TracedMessage(role=turn.role.value, text=turn.text, calls=calls, answers=turn.answers)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
