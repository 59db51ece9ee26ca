"""Finds JSON objects in what a model wrote: fences and prose around, comments and trailing commas inside.

Everything else must be JSON. Reading ends at the first object that is broken: what follows may stand inside it, as the
words of somebody it quotes. One pass, no backtracking: hostile text of 1 MB takes about as long as harmless text.
"""

import json
import re
from typing import Any, NamedTuple

MAX_DEPTH = 64
MAX_NUMBER_CHARS = 40
MAX_CHARS = 1_000_000  # of a text; no model writes a quarter of a million tokens to be read here
MAX_OBJECTS = 1_000

_SPACE = re.compile(r"[\s\ufeff\u200b]*+")
# A word in braces ("{name}") is prose; any other brace begins an object.
_PROSE = re.compile(r"\{[^{}\"'“”„‘’`:\n]{1,200}\}")
_BRACE = re.compile(r"[{}]")
# Some models think aloud before they answer; what they weigh there is no answer.
_THOUGHT = re.compile(r"\s*+<(think(?:ing)?|reasoning)>", re.IGNORECASE)
_STRING = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_CURLY_STRING = re.compile(r"[“”„]([^“”„]*+)[“”]")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+")
_WORD = re.compile(r"true|false|null|NaN|-?Infinity")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_NOT_A_NUMBER = float("nan")


class ConflictingValues:
    """Stands for a key that was written twice with different values: nobody knows which one was meant."""


CONFLICT = ConflictingValues()


class TextObject(NamedTuple):
    """An object and where it stood in the text."""

    start: int
    end: int
    value: dict[str, Any]


class _Broken(Exception):
    """The text is no JSON object from here on."""


class Objects(NamedTuple):
    """The complete objects of a text in their order, and where the first broken one began (None: none is broken)."""

    objects: list[TextObject]
    broken_at: int | None


def find_objects(text: str) -> list[TextObject]:
    """The outermost complete objects of a text, in order, up to the first broken one. See `read_objects`."""
    return read_objects(text).objects


def read_objects(text: str) -> Objects:
    """The outermost complete objects of a text, in order. Nothing is read inside or behind an object that is broken
    (single quotes, a quotation mark that was not escaped, an end that is missing): it cannot be told what belongs to
    it. A closing brace outside any object is broken too. A `<think>` block at the start is passed over. Linear in the
    length of the text; one longer than MAX_CHARS, or with more than MAX_OBJECTS, counts as broken.
    """
    if len(text) > MAX_CHARS:
        return Objects([], 0)
    whole = _whole(text)
    if whole is not None:
        return Objects([TextObject(0, len(text), whole)], None)
    objects: list[TextObject] = []
    position = _behind_thoughts(text)
    while match := _BRACE.search(text, position):
        start = match.start()
        if len(objects) == MAX_OBJECTS:
            return Objects(objects, start)
        prose = _PROSE.match(text, start)
        if prose:
            position = prose.end()
            continue
        try:
            value, position = _object(text, start)  # a closing brace begins none: something ended too early
        except _Broken:
            return Objects(objects, start)
        objects.append(TextObject(start, position, value))
    return Objects(objects, None)


def _behind_thoughts(text: str) -> int:
    opening = _THOUGHT.match(text)
    if opening is None:
        return 0
    closing = text.lower().find(f"</{opening[1].lower()}>", opening.end())
    return len(text) if closing < 0 else closing


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
            if stack[-1][0] and isinstance(stack[-1][0][-1], _KeyText):
                raise _Broken  # a key without its value
            items, closer = stack.pop()
            value: Any = _as_dict(items) if closer == "}" else items
            position += 1
        elif char in ("{", "[") and _value_expected(stack):
            if len(stack) >= MAX_DEPTH:
                raise _Broken
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
    return not stack or stack[-1][1] == "]" or bool(stack[-1][0] and isinstance(stack[-1][0][-1], _KeyText))


class _KeyText(str):
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
        raise _Broken
    items.append(_KeyText(key))
    return position + 1


def _append(text: str, position: int, container: tuple[list[Any], str], value: Any) -> int:
    """Stores a value and reads what follows it: a comma (a trailing one too) or the closer."""
    items, closer = container
    if closer == "}":
        if not items or not isinstance(items[-1], _KeyText):
            raise _Broken
        items[-1] = (str(items[-1]), value)
    else:
        items.append(value)
    position = _skip(text, position)
    char = text[position : position + 1]
    if char == ",":
        return _open_pair(text, position + 1, container)
    if char != closer:
        raise _Broken
    return position


def _scalar(text: str, position: int) -> tuple[Any, int]:
    char = text[position : position + 1]
    if char and char in '"“”„':
        return _string(text, position)
    if word := _WORD.match(text, position):
        return _WORDS.get(word.group(), _NOT_A_NUMBER), word.end()
    if number := _NUMBER.match(text, position):
        return _number(number.group()), number.end()
    raise _Broken


def _string(text: str, position: int) -> tuple[str, int]:
    if match := _STRING.match(text, position):
        body = match.group(1)
        if "\\" not in body:
            return body, match.end()
        try:
            return json.loads(match.group(), strict=False), match.end()
        except ValueError:
            raise _Broken from None
    if match := _CURLY_STRING.match(text, position):
        return match.group(1), match.end()
    raise _Broken


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
                raise _Broken
            position = close + 2
        else:
            return position
