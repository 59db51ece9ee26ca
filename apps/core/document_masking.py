"""The masking floor over a whole conversation: what a tenant that stores masked keeps, and a golden session."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from apps.core.conversation import Attachment, ConversationDocument, ToolCall, Utterance
from apps.core.redaction import redact, redact_value

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
    return {name: _extra_value(name, value, names) for name, value in extra.items()}


def _extra_value(name: str, value: Any, names: tuple[str, ...]) -> Any:
    if name in _PATTERNS:
        return value
    masked = redact_value(value, names=names)
    if name == "file_attachment" and isinstance(value, Mapping) and "sha256" in value:
        return {**masked, "sha256": value["sha256"]}  # a digest has runs of figures, and is nobody's number
    return masked
