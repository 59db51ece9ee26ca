"""Find the agent's reply in an answer that nobody described, as JSONPaths. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

REPLY_NAMES = (
    "reply",
    "response",
    "answer",
    "message",
    "text",
    "output",
    "content",
    "result",
    "output_text",
    "completion",
    "generated_text",
    "msg",
)
WRAPPERS = ("data", "result", "output", "response", "body", "payload", "message")
SESSION_NAMES = (
    "session_id",
    "sessionId",
    "session",
    "conversation_id",
    "conversationId",
    "thread_id",
    "threadId",
    "chat_id",
)
_DEEPEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPlaces:
    """The JSONPath of the reply in an answer, and the reply's words.

    `sessions` are the names of the answer's fields that may hold a session, the likeliest first.
    """

    reply: str
    text: str
    sessions: tuple[str, ...] = ()


def places_in(data: Any, *, said: str) -> ReplyPlaces | None:
    """Find where the reply is in an answer; None where none is found. What merely repeats `said` is no reply."""
    for path, text in _texts(data, "$", _DEEPEST):
        if text.strip() and text.strip() != said:
            named = data if isinstance(data, Mapping) else {}
            sessions = tuple(name for name in SESSION_NAMES if isinstance(named.get(name), str | int))
            return ReplyPlaces(reply=path, text=text.strip(), sessions=sessions)
    return None


def _texts(node: Any, path: str, deep: int) -> Iterator[tuple[str, str]]:
    if isinstance(node, Mapping):
        yield from _chat_texts(node, path)
        for name in REPLY_NAMES:
            if isinstance(node.get(name), str):
                yield f"{path}.{name}", node[name]
        for name in dict.fromkeys((*WRAPPERS, *REPLY_NAMES, "messages", "replies")) if deep else ():
            if isinstance(node.get(name), Mapping | list):
                yield from _texts(node[name], f"{path}.{name}", deep - 1)
    elif isinstance(node, list) and node:
        yield from _list_texts(node, path, deep)


def _list_texts(items: Sequence[Any], path: str, deep: int) -> Iterator[tuple[str, str]]:
    """Yield the reply's places in a list.

    Of messages with roles the last one is the reply; of others (several bubbles) all of them are.
    """
    last = items[-1]
    if isinstance(last, Mapping) and ("role" in last or "type" in last):
        yield from _texts(last, f"{path}[-1]", deep)
    elif isinstance(last, Mapping) and deep:
        for inner, _text in _texts(last, "", deep - 1):
            name = inner.removeprefix(".")
            words = [str(item[name]) for item in items if isinstance(item, Mapping) and isinstance(item.get(name), str)]
            yield f"{path}[*].{name}", "\n".join(words)
    elif isinstance(last, str):
        yield f"{path}[-1]", last


def _chat_texts(node: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    choices = node.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    for name in ("message", "delta"):
        message = first.get(name) if isinstance(first, Mapping) else None
        if isinstance(message, Mapping) and isinstance(message.get("content"), str):
            yield f"{path}.choices[0].{name}.content", message["content"]
