"""The masking floor over a whole conversation: what a tenant that stores masked keeps, and a golden session."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from apps.core.conversation import Attachment, ConversationDocument, ToolCall, Utterance
from apps.core.redaction import redact, redact_value

_SHA256 = re.compile("[0-9a-f]{64}")
# Expressions of Python's `re`, which masked would match something else, and ids of conversations.
_PATTERNS = frozenset({"wait_for_pattern", "conversation_id", "conversation_ids", "case", "captured_from"})


def mask_document(document: ConversationDocument, *, names: Iterable[str] = ()) -> ConversationDocument:
    """The conversation with every text masked: turns, labels, and what its source recorded beside. Ids and times stay.

    Masking twice changes nothing.
    """
    people = tuple(names)
    return replace(
        document,
        turns=tuple(masked_turn(turn, names=people) for turn in document.turns),
        labels=redact_value(document.labels, names=people),
        extra=_extra(document.extra, people),
    )


def masked_turn(turn: Utterance, *, names: Iterable[str] = ()) -> Utterance:
    """One message with what was said, what tools were given and names of files masked; ids, roles and times stay."""
    people = tuple(names)
    return replace(
        turn,
        content=redact(turn.content, names=people),
        tool_calls=tuple(_call(call, people) for call in turn.tool_calls),
        attachments=tuple(_attachment(item, people) for item in turn.attachments),
        extra=_extra(turn.extra, people),
    )


def _call(call: ToolCall, names: tuple[str, ...]) -> ToolCall:
    return replace(
        call,
        arguments=redact_value(call.arguments, names=names),
        extra=_extra(call.extra, names),
    )


def _attachment(item: Attachment, names: tuple[str, ...]) -> Attachment:
    return replace(item, name=redact(item.name, names=names), extra=_extra(item.extra, names))


def _extra(extra: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return dict(masked_json(dict(extra), kept=_PATTERNS, names=names))


def masked_json(value: Any, *, kept: Collection[str] = (), names: Iterable[str] = ()) -> Any:
    """A JSON value with the floor over its texts. `kept` keys of the value, or of each item of a list, stay as they
    are, and so does a SHA-256 under `sha256` at any depth: it has runs of figures, and is nobody's number."""
    if isinstance(value, Mapping):
        return {
            name: one if name in kept or _is_digest(name, one) else masked_json(one, names=names)
            for name, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked_json(one, kept=kept, names=names) for one in value]
    return redact_value(value, names=names)


def _is_digest(name: str, value: Any) -> bool:
    return name == "sha256" and isinstance(value, str) and _SHA256.fullmatch(value) is not None
