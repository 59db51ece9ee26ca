"""One turn of a conversation document, from decoded JSON. Faults carry pointers relative to the turn."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any

from apps.core.chat_messages import READ_KEYS, chat_turns, role_of, unwrapped
from apps.core.conversation import Attachment, ToolCall, TurnRole, Utterance
from apps.core.json_hygiene import first_fault
from apps.core.timestamps import parse_timestamp

MAX_LATENCY_MS = 2**31 - 1  # what an integer column holds: 24 days

_ROLES = {role.value: role for role in TurnRole}
_SPOKEN_KEYS = frozenset(
    (
        "content",
        "parts",
        "value",
        "text",
        "message",
        "utterance",
        "refusal",
        "tool_calls",
        "toolCalls",
        "function_call",
        "output",
        "arguments",
    )
)
_PLAIN_KEYS = frozenset(("role", "content", "tool_calls"))
_TURN_KEYS = _PLAIN_KEYS | {"tool_call_id", "name", "ts", "latency_ms", "attachments"}
_CALL_KEYS = frozenset(("id", "name", "arguments", "function", "type"))
_ATTACHMENT_KEYS = frozenset(("name", "sha256", "media_type"))


class TurnFault(Exception):
    """Something wrong at `pointer`, relative to what is being read; it becomes a DocumentError with the full one."""

    def __init__(self, pointer: str, what: str) -> None:
        super().__init__(what)
        self.pointer = pointer
        self.what = what


@dataclass(frozen=True, slots=True)
class TurnReader:
    """Reads turns of the conversation document, and with `chat` messages of models' APIs (`chat_messages`)."""

    chat: bool
    content_chars: int

    def read_all(self, raw: Any) -> tuple[Utterance, ...]:
        """The utterances that one turn or message is: mostly one. Raises TurnFault."""
        if not isinstance(raw, dict):
            raise TurnFault("", f"a turn is a JSON object, not {kind(raw)}")
        return self._messages(raw) if self.chat else (self.read(raw),)

    def _messages(self, raw: dict[str, Any]) -> tuple[Utterance, ...]:
        """A message's calls with broken arguments are taken as they are: an agent is tested for them. What is no words
        stands in the text in brackets, and under `left_out`."""
        if role_of(raw) is None:
            raise TurnFault("/role", f"must be one of {', '.join(_ROLES)}, not {shown(raw.get('role'))}")
        message = unwrapped(raw)
        if _SPOKEN_KEYS.isdisjoint(message):
            raise TurnFault("/content", "is missing: write an empty text where nothing was said")
        if isinstance(message.get("content"), bool | int | float):
            raise TurnFault("/content", f"must be text or a list of parts, not {kind(message['content'])}")
        ts, latency, attachments = raw.get("ts"), raw.get("latency_ms"), raw.get("attachments")
        turns = list[Utterance]()
        for turn in chat_turns(raw):
            if len(turn.text) > self.content_chars:
                raise TurnFault("/content", f"has {len(turn.text)} characters; the limit is {self.content_chars}")
            extra = {name: raw[name] for name in raw if name not in _TURN_KEYS and name not in READ_KEYS}
            turns.append(
                Utterance(
                    role=turn.role,
                    content=turn.text,
                    tool_calls=turn.calls,
                    tool_call_id=turn.answers or None,
                    name=turn.name or None,
                    ts=None if ts is None else _time(ts),
                    latency_ms=None if latency is None else _latency(latency),
                    attachments=() if attachments is None else _attachments(attachments),
                    extra=extra | ({"left_out": list(turn.left_out)} if turn.left_out else {}),
                )
            )
        return tuple(turns)

    def read(self, raw: dict[str, Any]) -> Utterance:
        """One utterance of the conversation document; keys we do not know go to `extra`. Raises TurnFault."""
        calls = self._calls(raw["tool_calls"]) if raw.get("tool_calls") is not None else ()
        role = _ROLES.get(raw["role"]) if isinstance(raw.get("role"), str) else None
        content = raw.get("content")
        if role is None:
            raise TurnFault("/role", f"must be one of {', '.join(_ROLES)}, not {shown(raw.get('role'))}")
        if content is None and calls:
            content = ""
        if not isinstance(content, str):
            raise TurnFault(
                "/content", f"must be text, not {kind(content)}; write an empty text where nothing was said"
            )
        if len(content) > self.content_chars:
            raise TurnFault("/content", f"has {len(content)} characters; the limit is {self.content_chars}")
        if raw.keys() <= _PLAIN_KEYS:
            return Utterance(role=role, content=content, tool_calls=calls)
        ts, latency = raw.get("ts"), raw.get("latency_ms")
        return Utterance(
            role=role,
            content=content,
            tool_calls=calls,
            tool_call_id=text_or_none(raw, "tool_call_id"),
            name=text_or_none(raw, "name"),
            ts=None if ts is None else _time(ts),
            latency_ms=None if latency is None else _latency(latency),
            attachments=() if raw.get("attachments") is None else _attachments(raw["attachments"]),
            extra={} if raw.keys() <= _TURN_KEYS else {name: raw[name] for name in raw if name not in _TURN_KEYS},
        )

    def _calls(self, raw: Any) -> tuple[ToolCall, ...]:
        if not isinstance(raw, list):
            raise TurnFault("/tool_calls", f"must be a list of tool calls, not {kind(raw)}")
        return tuple(_call(item, f"/tool_calls/{number}") for number, item in enumerate(raw))


def _call(raw: Any, pointer: str) -> ToolCall:
    if not isinstance(raw, dict):
        raise TurnFault(pointer, f"must be a JSON object, not {kind(raw)}")
    inner, where = raw, pointer
    extra = {key: raw[key] for key in raw if key not in _CALL_KEYS}
    if raw.get("function") is not None:
        inner, where = raw["function"], f"{pointer}/function"
        if not isinstance(inner, dict):
            raise TurnFault(where, f"must be an object with name and arguments, not {kind(inner)}")
    elif raw.get("type", "function") != "function":
        extra["type"] = raw["type"]
    name = inner.get("name")
    if not isinstance(name, str) or not name.strip():
        raise TurnFault(f"{where}/name", f"must be the tool's name, not {shown(name)}")
    arguments = _arguments(inner.get("arguments"), f"{where}/arguments")
    return ToolCall(name=name, arguments=arguments, id=text_or_none(raw, "id", pointer), extra=extra)


def _arguments(raw: Any, pointer: str) -> Mapping[str, Any]:
    if raw is None or raw == "":
        return {}
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise TurnFault(pointer, f"must be JSON: {error}") from error
        fault = first_fault(raw, pointer=pointer)
        if fault:
            raise TurnFault(*fault)
    if not isinstance(raw, dict):
        raise TurnFault(pointer, f"must be a JSON object (or its text), not {kind(raw)}")
    return raw


def _attachments(raw: Any) -> tuple[Attachment, ...]:
    if not isinstance(raw, list):
        raise TurnFault("/attachments", f"must be a list of attachments, not {kind(raw)}")
    return tuple(attachment_of(item, f"/attachments/{number}") for number, item in enumerate(raw))


def attachment_of(raw: Any, pointer: str = "") -> Attachment:
    """One attachment, as documents and stored turns write it. Raises Fault."""
    if not isinstance(raw, dict):
        raise TurnFault(pointer, f"must be a JSON object, not {kind(raw)}")
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        raise TurnFault(f"{pointer}/name", f"must be the file's name, not {shown(name)}")
    text_or_none(raw, "path", pointer)  # where it lay on somebody's machine: of no use here, and not kept
    return Attachment(
        name=name,
        sha256=text_or_none(raw, "sha256", pointer),
        media_type=text_or_none(raw, "media_type", pointer),
        extra={key: raw[key] for key in raw if key not in _ATTACHMENT_KEYS and key != "path"},
    )


def _time(value: Any) -> datetime:
    if isinstance(value, str):
        try:
            return parse_timestamp(value)
        except ValueError:
            pass  # the message below says what a good one looks like
    raise TurnFault("/ts", f"must be an ISO 8601 time such as 2026-11-20T10:30:00Z, not {shown(value)}")


def _latency(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise TurnFault("/latency_ms", f"must be milliseconds as a number, not {shown(value)}")
    if not 0 <= value <= MAX_LATENCY_MS:
        raise TurnFault("/latency_ms", f"must lie between 0 and {MAX_LATENCY_MS}, not {shown(value)}")
    return round(value)


def text_or_none(raw: Mapping[str, Any], key: str, pointer: str = "") -> str | None:
    """An optional text; null counts as absent. Raises Fault for anything else."""
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise TurnFault(f"{pointer}/{key}", f"must be text, not {kind(value)}")
    return value


def kind(value: Any) -> str:
    """The kind of a value, in words for people."""
    if value is None:
        return "null or nothing"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)


def shown(value: Any) -> str:
    """A value as it may stand in a message: short, and big things by kind only."""
    return kind(value) if value is None or isinstance(value, (dict, list)) else repr(value)[:60]
