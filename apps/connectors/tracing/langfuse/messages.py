"""Read the messages that an observation's input or output holds.

It is a text, a message, a list of them, `messages`, `choices`, `candidates`, `contents`, or the arguments of a
decorated function (`args`, `kwargs`). Pure.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.core.chat_messages import role_of
from apps.core.chat_parts import call_of_part, content_words, result_of_part

_LISTS = ("messages", "choices", "candidates", "contents")
_WORDS = ("content", "parts", "text", "message", "input", "output", "question", "answer", "query", "response", "reply")


def messages_in(value: Any) -> list[Any]:
    """Return the messages of a field, unchanged, and the text of other items.
    Items without either, such as a function's settings, are left out."""
    return [words for item in _items(value) if (words := _words_of(item)) is not None]


def is_message(item: Any) -> bool:
    """Tell whether a value is a message, or a part that calls a tool or answers one."""
    if not isinstance(item, Mapping):
        return False
    spoken = role_of(item) is not None or "content" in item or "parts" in item
    return spoken or call_of_part(item) is not None or result_of_part(item) is not None


def _items(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from map(_inner, value)
    elif not isinstance(value, Mapping):
        yield value
    elif held := next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None):
        yield from map(_inner, held)
    elif isinstance(value.get("args"), list):
        for argument in (*value["args"], *_named_arguments(value.get("kwargs"))):
            yield from _items(argument)
    else:
        yield _inner(value)


def _named_arguments(kwargs: Any) -> Iterator[Any]:
    """The lists of messages among them, whatever they are called; where there is none, all as they are."""
    if isinstance(kwargs, Mapping) and kwargs:
        lists = (one for one in kwargs.values() if isinstance(one, list) and one and all(map(is_message, one)))
        yield next(lists, kwargs)


def _inner(item: Any) -> Any:
    """A choice holds its message, and a candidate its content with a role."""
    if isinstance(item, Mapping) and not item.get("role"):
        return next((item[key] for key in ("message", "content") if isinstance(item.get(key), Mapping)), item)
    return item


def _words_of(item: Any) -> Any:
    """A message as it is; the words of a text, of a list of texts or of an object that names them; else None."""
    if isinstance(item, str) or is_message(item):
        return item
    if isinstance(item, list):
        return content_words(item) or None
    if isinstance(item, Mapping):
        return next((words for key in _WORDS if (words := _words_of(item.get(key))) is not None), None)
    return None
