"""A conversation as promotion reads it: plain text in turns, after masking. Whatever a customer wrote is data here."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core.hidden_characters import SHOWN, visible
from apps.core.json_hygiene import decoded_json, storable
from apps.core.redaction import MASKED

MOST_TURNS = 400
MOST_CHARS = 4_000  # of one turn: a person reads it, and a scenario holds no more


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedTurn:
    """One message: who spoke, and what, masked."""

    role: str
    text: str

    def as_json(self) -> dict[str, str]:
        return {"role": self.role, "content": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedConversation:
    """`language` is what its document says, "" where it says nothing."""

    language: str
    turns: tuple[MaskedTurn, ...]

    @property
    def customer(self) -> tuple[str, ...]:
        """What the customer said, in order, without empty messages."""
        return tuple(turn.text for turn in self.turns if turn.role == "user" and turn.text)


def blob_of(document: Mapping[str, Any]) -> str:
    """The document as one JSON line, ready to be masked."""
    return json.dumps(storable(dict(document)), ensure_ascii=False)


def masked_conversation(masked_blob: str) -> MaskedConversation:
    """What masking left of one line. Raises ValueError for a line that is no conversation."""
    document = decoded_json(masked_blob)
    turns = document.get("turns") if isinstance(document, Mapping) else None
    if not isinstance(turns, list):
        raise ValueError("the line holds no turns")
    spoken = [one for one in turns if isinstance(one, Mapping) and one.get("role") in ("user", "assistant")]
    language = document.get("language") or document.get("lang")
    return MaskedConversation(
        language=language if isinstance(language, str) else "",
        turns=tuple(
            MaskedTurn(role=str(one["role"]), text=plain_text(str(one.get("content") or "")))
            for one in spoken[:MOST_TURNS]
        ),
    )


def from_stored(turns: Iterable[Mapping[str, Any]], *, language: str) -> MaskedConversation:
    """As `as_json` of its turns was stored."""
    spoken = tuple(MaskedTurn(role=str(one["role"]), text=str(one["content"])) for one in turns)
    return MaskedConversation(language=language, turns=spoken)


def plain_text(text: str, *, limit: int = MOST_CHARS) -> str:
    """Without characters that show nothing or steer a terminal, and not longer than `limit`; no token is cut in two."""
    shown = visible(text).replace(SHOWN, " ").replace("\x00", " ").strip()
    return shortened(shown, limit)


def shortened(text: str, limit: int) -> str:
    """The beginning of a text, cut between words and never inside a masked token; "…" shows the cut."""
    if len(text) <= limit:
        return text
    end = limit - 2
    for found in MASKED.finditer(text[: limit + 60]):
        if found.start() < end < found.end():
            end = found.start()
    blank = text.rfind(" ", end - 200 if end > 200 else 0, end)
    if blank > 0 and not any(one.start() < blank < one.end() for one in MASKED.finditer(text[: end + 60])):
        end = blank
    return text[:end].rstrip() + " …"


def as_rows(conversation: MaskedConversation) -> Sequence[dict[str, str]]:
    """Its turns as they are stored."""
    return [turn.as_json() for turn in conversation.turns]
