"""A conversation as promotion reads it: plain text in turns, after masking. Whatever a customer wrote is data here."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core.json_hygiene import decoded_json, storable
from apps.core.portable.hidden_characters import SHOWN, visible
from apps.core.redaction import MASKED

MAX_TURNS = 400
MAX_CALLS = 20  # of one turn
MAX_CHARS = 4_000  # of one turn: a person reads it, and a scenario holds no more


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedTurn:
    """One message: who spoke, and what, masked. `tool_calls` are {"name", "arguments": {"masked", "hmac_sha256"}}."""

    role: str
    text: str
    tool_calls: tuple[Mapping[str, Any], ...] = ()

    @property
    def arguments(self) -> str:
        """Names, keys and masked arguments of its calls, as one text: values beside each other, so that a number in
        pieces is one."""
        names = [str(call["name"]) for call in self.tool_calls]
        keys, values = list[str](), list[str]()
        for call in self.tool_calls:
            _leaves(call["arguments"].get("masked"), keys, values)
        return "\n".join(filter(None, ("\n".join([*names, *keys]), " , ".join(values))))

    def as_json(self) -> dict[str, Any]:
        calls = {"tool_calls": [dict(tool_call) for tool_call in self.tool_calls]} if self.tool_calls else {}
        return {"role": self.role, "content": self.text, **calls}


def _leaves(value: Any, keys: list[str], values: list[str]) -> None:
    if isinstance(value, Mapping):
        for name, one in value.items():
            keys.append(str(name))
            _leaves(one, keys, values)
    elif isinstance(value, list):
        for one in value:
            _leaves(one, keys, values)
    elif value is not None and not isinstance(value, bool):
        values.append(str(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedConversation:
    """Conversation after masking. `language` is the document's own, "" where it names none."""

    language: str
    turns: tuple[MaskedTurn, ...]

    @property
    def customer(self) -> tuple[str, ...]:
        """The customer's messages, in order, without empty ones."""
        return tuple(turn.text for turn in self.turns if turn.role == "user" and turn.text)


def blob_of(document: Mapping[str, Any]) -> str:
    """The document as one JSON line, ready to be masked."""
    return json.dumps(storable(dict(document)), ensure_ascii=False)


def masked_conversation(masked_blob: str) -> MaskedConversation:
    """Read the conversation that masking left of one line. Raises ValueError for a line that is no conversation."""
    document = decoded_json(masked_blob)
    turns = document.get("turns") if isinstance(document, Mapping) else None
    if not isinstance(turns, list):
        raise ValueError("the line holds no turns")
    spoken = [turn for turn in turns if isinstance(turn, Mapping) and turn.get("role") in ("user", "assistant")]
    language = document.get("language") or document.get("lang")
    return MaskedConversation(
        language=language if isinstance(language, str) else "",
        turns=tuple(
            MaskedTurn(role=str(turn["role"]), text=plain_text(str(turn.get("content") or "")), tool_calls=_calls(turn))
            for turn in spoken[:MAX_TURNS]
        ),
    )


def _calls(turn: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The first MAX_CALLS with a name; their arguments where they are not longer than a turn, else their digest."""
    tool_calls = list[Mapping[str, Any]]()
    calls = turn.get("tool_calls")
    for call in calls[:MAX_CALLS] if isinstance(calls, list) else ():
        arguments = call.get("arguments") if isinstance(call, Mapping) else None
        if isinstance(arguments, Mapping):
            arguments_kept = {
                name: arguments[name] for name in ("masked", "hmac_sha256", "sha256") if name in arguments
            }
            if len(json.dumps(arguments_kept, default=str)) > MAX_CHARS:
                arguments_kept.pop("masked", None)
            tool_calls.append({"name": plain_text(str(call.get("name") or ""), limit=200), "arguments": arguments_kept})
    return tuple(tool_calls)


def plain_text(text: str, *, limit: int = MAX_CHARS) -> str:
    """Remove characters that show nothing or steer a terminal, and cut at `limit`; no token is cut in two."""
    shown = visible(text).replace(SHOWN, " ").replace("\x00", " ").strip()
    return shortened(shown, limit)


def shortened(text: str, limit: int) -> str:
    """The beginning of a text, cut between words and never inside a masked token; "…" shows the cut."""
    if len(text) <= limit:
        return text
    end = limit - 2
    for match in MASKED.finditer(text[: limit + 60]):
        if match.start() < end < match.end():
            end = match.start()
    blank = text.rfind(" ", end - 200 if end > 200 else 0, end)
    if blank > 0 and not any(match.start() < blank < match.end() for match in MASKED.finditer(text[: end + 60])):
        end = blank
    return text[:end].rstrip() + " …"


def as_rows(conversation: MaskedConversation) -> Sequence[dict[str, Any]]:
    """Return the conversation's turns as they are stored."""
    return [turn.as_json() for turn in conversation.turns]
