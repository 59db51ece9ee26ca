"""Finds JSON objects in what a model wrote: fences and prose around, comments and trailing commas inside.

Everything else must be JSON. One pass, no backtracking: hostile text of 1 MB takes about as long as harmless text.
"""

import json
import re
from typing import Any, NamedTuple

MAX_DEPTH = 64
MAX_NUMBER_CHARS = 40

_SPACE = re.compile(r"[\s\ufeff\u200b]*+")
_START = re.compile(r"\{(?=[\s\ufeff\u200b]*+[\"“”„}/#])")
_STRING = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_CURLY_STRING = re.compile(r"[“”„]([^“”„]*+)[“”]")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+")
_WORD = re.compile(r"true|false|null|NaN|-?Infinity")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_NOT_A_NUMBER = float("nan")


class Conflict:
    """Stands for a key that was written twice with different values: nobody knows which one was meant."""


CONFLICT = Conflict()


class Found(NamedTuple):
    """An object and where it stood in the text."""

    start: int
    end: int
    value: dict[str, Any]


class _Broken(Exception):
    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def find_objects(text: str) -> list[Found]:
    """The outermost complete objects of a text, in order. Objects inside an object that broke off are found too.

    Linear in the length of the text: after a broken start it tries the next brace, until about one length of text
    has been read twice; from then on it goes on behind the break.
    """
    whole = _whole(text)
    if whole is not None:
        return [Found(0, len(text), whole)]
    found: list[Found] = []
    position, spare = 0, len(text) + 20_000
    while match := _START.search(text, position):
        start = match.start()
        try:
            value, end = _object(text, start)
        except _Broken as broken:
            spare -= broken.position - start
            position = start + 1 if spare > 0 else max(start + 1, broken.position)
            continue
        found.append(Found(start, end, value))
        position = end
    return found


def _whole(text: str) -> dict[str, Any] | None:
    """The usual case at C speed: the whole text is one JSON object."""
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped.startswith("{"):
        return None
    try:
        value = json.loads(
            stripped,
            strict=False,
            object_pairs_hook=_as_dict,
            parse_float=_number,
            parse_int=_number,
            parse_constant=_constant,
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: dict[str, Any] = {}
        for key, value in pairs:
            seen[key] = value if key not in seen or _same(seen[key], value) else CONFLICT
        return seen
    return result


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def _number(token: str) -> float:
    # A longer token is no score; turning it into a number could cost more than reading it.
    return float(token) if len(token) <= MAX_NUMBER_CHARS else _NOT_A_NUMBER


def _constant(_: str) -> float:
    return _NOT_A_NUMBER


def _object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object that begins at `start` and the position behind it. Raises _Broken."""
    stack: list[tuple[list[Any], str]] = []  # items of each open container (pairs for an object) and its closer
    position = start
    while True:
        position = _skip(text, position)
        char = text[position : position + 1]
        if stack and char == stack[-1][1]:
            if stack[-1][0] and isinstance(stack[-1][0][-1], _Key):
                raise _Broken(position)  # a key without its value
            items, closer = stack.pop()
            value: Any = _as_dict(items) if closer == "}" else items
            position += 1
        elif char in ("{", "[") and _value_expected(stack):
            if len(stack) >= MAX_DEPTH:
                raise _Broken(position)
            stack.append(([], "}" if char == "{" else "]"))
            position += 1
            position = _open_pair(text, position, stack[-1])
            continue
        else:
            value, position = _scalar(text, position)
        if not stack:
            return value, position
        position = _append(text, position, stack[-1], value)


def _value_expected(stack: list[tuple[list[Any], str]]) -> bool:
    return not stack or stack[-1][1] == "]" or bool(stack[-1][0] and isinstance(stack[-1][0][-1], _Key))


class _Key(str):
    """A key whose value has not been read yet."""

    __slots__ = ()


def _open_pair(text: str, position: int, container: tuple[list[Any], str]) -> int:
    """In an object: reads the next key and its colon, unless the object closes here."""
    items, closer = container
    position = _skip(text, position)
    if closer == "]" or text[position : position + 1] == closer:
        return position
    key, position = _string(text, position)
    position = _skip(text, position)
    if text[position : position + 1] != ":":
        raise _Broken(position)
    items.append(_Key(key))
    return position + 1


def _append(text: str, position: int, container: tuple[list[Any], str], value: Any) -> int:
    """Stores a value and reads what follows it: a comma (a trailing one too) or the closer."""
    items, closer = container
    if closer == "}":
        if not items or not isinstance(items[-1], _Key):
            raise _Broken(position)
        items[-1] = (str(items[-1]), value)
    else:
        items.append(value)
    position = _skip(text, position)
    char = text[position : position + 1]
    if char == ",":
        return _open_pair(text, position + 1, container)
    if char != closer:
        raise _Broken(position)
    return position


def _scalar(text: str, position: int) -> tuple[Any, int]:
    char = text[position : position + 1]
    if char and char in '"“”„':
        return _string(text, position)
    if word := _WORD.match(text, position):
        return _WORDS.get(word.group(), _NOT_A_NUMBER), word.end()
    if number := _NUMBER.match(text, position):
        return _number(number.group()), number.end()
    raise _Broken(position)


def _string(text: str, position: int) -> tuple[str, int]:
    if match := _STRING.match(text, position):
        body = match.group(1)
        if "\\" not in body:
            return body, match.end()
        try:
            return json.loads(match.group(), strict=False), match.end()
        except ValueError:
            raise _Broken(match.end()) from None
    if match := _CURLY_STRING.match(text, position):
        return match.group(1), match.end()
    # An open string runs to the end: say so, for the time it took to look.
    raise _Broken(len(text) if text[position : position + 1] == '"' else position)


def _skip(text: str, position: int) -> int:
    """Behind white space and comments."""
    while True:
        match = _SPACE.match(text, position)
        position = match.end() if match else position
        ahead = text[position : position + 2]
        if ahead == "//" or ahead[:1] == "#":
            newline = text.find("\n", position)
            position = len(text) if newline < 0 else newline
        elif ahead == "/*":
            close = text.find("*/", position + 2)
            if close < 0:
                raise _Broken(len(text))
            position = close + 2
        else:
            return position
