"""Conversations as other programs keep them in JSON, as conversation documents. Pure.

A list of messages by any of its usual names, ShareGPT's `conversations`, LangSmith's `inputs` and `outputs`, a pair of
prompt and completion, an export of ChatGPT (`mapping`). What is a document already stays as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from apps.core.chat_messages import role_of
from apps.runs.chat_files.domain.transcripts import is_spoken

_LISTS = ("messages", "turns")
_OTHER_LISTS = (
    "conversation",
    "conversations",
    "dialog",
    "dialogue",
    "history",
    "chat",
    "chat_history",
    "transcript",
    "transcripts",
    "utterances",
    "items",
    "message_list",
)
_DOCUMENTS = (
    "conversations",
    "data",
    "items",
    "records",
    "rows",
    "chats",
    "dialogues",
    "dialogs",
    "sessions",
    "threads",
)
_IDS = (
    "conversation_id",
    "conversationId",
    "session_id",
    "sessionId",
    "thread_id",
    "chat_id",
    "dialogue_id",
    "dialog_id",
    "ContactId",
    "uuid",
    "_id",
    "title",
)
_PAIRS = (
    ("prompt", "completion"),
    ("question", "answer"),
    ("input", "output"),
    ("instruction", "output"),
    ("input", "response"),
    ("prompt", "response"),
    ("user", "assistant"),
)


def documents_of(value: Any) -> list[Any] | None:
    """Return the documents of a whole JSON value; None where it has none.

    They are a list of them, one, or a list under one of its usual names.
    """
    if isinstance(value, list):
        return [{"messages": value}] if value and all(map(_is_message, value)) else value
    if not isinstance(value, Mapping):
        return None
    if _messages_of(value) is not None:
        return [value]
    if value and all(_is_keyed(one) for one in value.values()):
        return [
            {"id": str(key), **(one if isinstance(one, Mapping) else {"messages": one})} for key, one in value.items()
        ]
    if isinstance(value.get("data"), Mapping):
        return documents_of(value["data"])
    held = next((value[name] for name in _DOCUMENTS if isinstance(value.get(name), list)), None)
    return held if held and all(isinstance(one, Mapping) for one in held) else None


def document_of(raw: Any) -> Any:
    """Return one conversation with its messages under `messages` and its id under `id`.

    An unknown form stays as it is, and its reader says what is wrong.
    """
    if not isinstance(raw, Mapping) or any(isinstance(raw.get(name), list) for name in _LISTS):
        return _named(raw) if isinstance(raw, Mapping) else raw
    messages = _messages_of(raw)
    if messages is None:
        return raw
    return {**({"id": raw["id"]} if "id" in raw else {}), **_named(raw, only_id=True), "messages": messages}


def may_be_conversations(found: Sequence[Any]) -> bool:
    """Tell whether any of these documents says that it holds messages, by whatever name."""
    return any(
        isinstance(one, Mapping) and (any(name in one for name in _LISTS) or _messages_of(one) is not None)
        for one in found
    )


def form_of(raw: Mapping[str, Any]) -> str:
    """The name of one document's form, in words."""
    if "mapping" in raw:
        return "ChatGPT's export"
    if isinstance(raw.get("inputs"), Mapping):
        return "LangSmith's runs"
    if isinstance(raw.get("conversations"), list):
        return "ShareGPT"
    if isinstance(raw.get("messages"), list):
        return "messages of a model's API"
    return "conversation documents" if isinstance(raw.get("turns"), list) else "lists of messages"


def _messages_of(raw: Mapping[str, Any]) -> list[Any] | None:
    if isinstance(raw.get("mapping"), Mapping):
        return list(_chatgpt(raw["mapping"]))
    named = {str(name).lower(): value for name, value in raw.items()}
    for name in (*_LISTS, *_OTHER_LISTS):
        held = [one for one in named[name] if not _is_event(one)] if isinstance(named.get(name), list) else []
        if held and all(map(_is_message, held)):
            return held
    if isinstance(raw.get("inputs"), Mapping):
        sides = [_side(raw.get(name), role) for name, role in (("inputs", "user"), ("outputs", "assistant"))]
        return [*sides[0], *sides[1]] or None
    for question, answered in _PAIRS:
        if isinstance(raw.get(question), str) and isinstance(raw.get(answered), str):
            return [{"role": "user", "content": raw[question]}, {"role": "assistant", "content": raw[answered]}]
    return None


def _side(value: Any, role: str) -> Sequence[Any]:
    """LangSmith: messages, or a text under any name."""
    if not isinstance(value, Mapping):
        return []
    if isinstance(value.get("messages"), list):
        return list(value["messages"])
    texts = [one for one in value.values() if isinstance(one, str)]
    return [{"role": role, "content": texts[0]}] if texts else []


def _chatgpt(mapping: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages of an export's tree, by their time."""
    held = [one.get("message") for one in mapping.values() if isinstance(one, Mapping)]
    messages = [one for one in held if isinstance(one, Mapping) and isinstance(one.get("author"), Mapping)]
    for one in sorted(messages, key=lambda message: message.get("create_time") or 0):
        content = one.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        texts = [part for part in parts or () if isinstance(part, str) and part.strip()]
        if texts and one["author"].get("role") in ("user", "assistant"):
            yield {"role": one["author"]["role"], "content": "\n".join(texts)}


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and (role_of(value) is not None or is_spoken(value))


def _is_event(value: Any) -> bool:
    """Tell whether a line says that somebody came, typed or left: no message, though it stands among them."""
    typed = str(value.get("type") or value.get("Type") or "") if isinstance(value, Mapping) else ""
    return typed.lower() == "event" and not is_spoken(value)


def _is_keyed(value: Any) -> bool:
    """Tell whether a value is a conversation that stands under its id."""
    held = value if isinstance(value, list) else value.get("messages") if isinstance(value, Mapping) else None
    alone = isinstance(value, Mapping) and isinstance(held, list)
    return isinstance(held, list) and (alone or bool(held)) and all(map(_is_message, held))


def _named(raw: Mapping[str, Any], *, only_id: bool = False) -> dict[str, Any]:
    """The document with an id, by whatever name it has one."""
    rest = {} if only_id else dict(raw)
    if "id" in raw:
        return rest
    conversation_id = next(
        (raw[name] for name in _IDS if isinstance(raw.get(name), str | int) and raw[name] != ""), None
    )
    return {**rest, **({"id": str(conversation_id)[:200]} if conversation_id is not None else {})}
