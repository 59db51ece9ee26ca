"""A conversation document with everything masked that could say who the customer was."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from apps.core.conversation import Attachment, ConversationDocument, ToolCall, Utterance

Hide = Callable[[str], str]
Digest = Callable[[Any], str]
MONEY = frozenset({"amount", "price", "total", "kes", "amount_kes", "deposit", "balance"})  # keys of whole sums
MAX_MONEY = 10**8  # beyond, a number under such a key is as long as a phone's
ARGUMENTS_DIGEST = "arguments_hmac_sha256"  # beside the masked arguments of a call: what they were
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


def masked_conversation(
    document: ConversationDocument, hide: Hide, digest: Digest | None = None
) -> ConversationDocument:
    """Return a conversation with every text, key and long number masked.

    They are words, arguments and results of tools, names of files and speakers, labels, and whatever stood beside them.
    Roles, times and digests of files stay. Ids of tool calls that would be masked are numbered, so that calls and
    results still belong together. `digest` says what the arguments of a call were: its word for them is kept beside the
    masked ones (ARGUMENTS_DIGEST). Pure.
    """
    ids: dict[str, str] = {}

    def hide_id(text: str | None) -> str | None:
        if text is None or hide(text) == text:
            return text
        return ids.setdefault(text, f"call-{len(ids) + 1}")

    return replace(
        document,
        turns=tuple(_turn(turn, hide, hide_id, digest) for turn in document.turns),
        language=_text(document.language, hide),
        domain=_text(document.domain, hide),
        source=_text(document.source, hide),
        labels=hidden_value(document.labels, hide),
        extra=hidden_value(document.extra, hide),
    )


def hidden_value(value: Any, hide: Hide, key: str = "") -> Any:
    """A JSON value with its texts, its keys and its long numbers masked; sums of money stay (`is_money`)."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        values_hidden: dict[str, Any] = {}
        for name, one in value.items():
            hidden = hide(str(name))
            while hidden in values_hidden:
                hidden += "'"  # two keys that were masked alike both stay
            values_hidden[hidden] = hidden_value(one, hide, str(name))
        return values_hidden
    if isinstance(value, list | tuple):
        return [hidden_value(one, hide, key) for one in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and not is_money(key, value):
        text = str(value)
        hidden = hide(text)
        return value if hidden == text else hidden
    return value


def is_money(key: str, value: float) -> bool:
    """Tell whether a number is a sum: by its key, and shorter than the number of a phone."""
    return key.casefold() in MONEY and abs(value) < MAX_MONEY


def _turn(turn: Utterance, hide: Hide, hide_id: Callable[[str | None], str | None], digest: Digest | None) -> Utterance:
    return replace(
        turn,
        content=hide(turn.content),
        tool_calls=tuple(_call(call, hide, hide_id, digest) for call in turn.tool_calls),
        tool_call_id=hide_id(turn.tool_call_id),
        name=_text(turn.name, hide),
        attachments=tuple(_attachment(item, hide) for item in turn.attachments),
        extra=hidden_value(turn.extra, hide),
    )


def _call(call: ToolCall, hide: Hide, hide_id: Callable[[str | None], str | None], digest: Digest | None) -> ToolCall:
    original = {ARGUMENTS_DIGEST: digest(dict(call.arguments))} if digest else {}
    return ToolCall(
        name=hide(call.name),
        arguments=hidden_value(call.arguments, hide),
        id=hide_id(call.id),
        extra=hidden_value(call.extra, hide) | original,
    )


def _attachment(item: Attachment, hide: Hide) -> Attachment:
    digest = item.sha256
    return Attachment(
        name=hide(item.name),
        sha256=digest if digest is None or _SHA256.fullmatch(digest) else hide(digest),
        media_type=_text(item.media_type, hide),
        extra=hidden_value(item.extra, hide),
    )


def _text(text: str | None, hide: Hide) -> str | None:
    return None if text is None else hide(text)
