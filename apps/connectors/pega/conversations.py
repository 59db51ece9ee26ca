"""The answers of Pega's AgentX calls, as plain data. Tolerant: upper and lower case of `ID`, missing fields. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.connectors.agents.capabilities import TranscriptMessage
from apps.connectors.errors import BadReply
from apps.connectors.pega.texts import pega_time, plain_text, without_tags
from apps.core.conversation import TurnRole

_ROLES = {"USER": TurnRole.USER, "ASSISTANT": TurnRole.ASSISTANT}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentXAnswer:
    """The answer to one call. `conversation_id` is set only where the call opened a conversation."""

    text: str
    message_id: str = ""
    conversation_id: str = ""


def read_created(data: Any, *, who: str) -> AgentXAnswer:
    """The answer to a conversation being opened; its text is the greeting. Raises BadReply without an id."""
    body = data if isinstance(data, Mapping) else {}
    conversation_id = _text(body, "ID", "id")
    if not conversation_id:
        raise BadReply(f"{who} opened a conversation without an ID", raw=repr(data))
    greeting = _text(body, "response", "welcomeMessage")
    return AgentXAnswer(
        text=without_tags(greeting), message_id=_text(body, "messageID"), conversation_id=conversation_id
    )


def read_answer(data: Any, *, who: str) -> AgentXAnswer:
    """The reply to a turn. Raises BadReply where it has none; an empty one is a reply."""
    body = data if isinstance(data, Mapping) else {}
    if not isinstance(body.get("response"), str):
        raise BadReply(f"{who} answered a turn without a response", raw=repr(data))
    return AgentXAnswer(text=without_tags(body["response"]), message_id=_text(body, "messageID"))


def read_conversation(data: Any) -> tuple[TranscriptMessage, ...]:
    """The messages of `GET …/conversations/{cid}`, oldest first; what is no message of the two roles is left out."""
    return read_messages(data.get("messages") if isinstance(data, Mapping) else None)


def read_messages(items: Any) -> tuple[TranscriptMessage, ...]:
    """Read messages from a list, in AgentX's names or the data view's.

    The latter are `pyRole`, and `pyContent`, which is HTML-escaped.
    """
    messages: list[TranscriptMessage] = []
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, Mapping):
            continue
        escaped = _text(item, "pyContent")
        role = _ROLES.get(_text(item, "pyRole", "role").upper())
        if role is not None:
            messages.append(
                TranscriptMessage(
                    role=role,
                    text=plain_text(escaped) if escaped else without_tags(_text(item, "content")),
                    message_id=_text(item, "pyMessageID", "messageID"),
                    at=pega_time(item.get("pxCreateDateTime") or item.get("createdOn")),
                    files=_files(item.get("attachments")),
                )
            )
    return tuple(messages)


def newest_of(data: Any) -> str:
    """The id of the conversation that was opened last, of a list of them; "" for none."""
    items = data.get("conversations") if isinstance(data, Mapping) else None
    known = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    newest = max(known, key=lambda item: str(item.get("createdOn") or ""), default={})
    return _text(newest, "id", "ID")


def _files(items: Any) -> tuple[str, ...]:
    files = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    return tuple(name for item in files if (name := _text(item, "name")))


def _text(body: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := body.get(name), str) and value), "")
