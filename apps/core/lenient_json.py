"""The one reader of JSON that a model wrote: fences and prose around the objects, trailing commas inside them.

Everything else must be JSON. No comments, no second kind of quotation mark inside an object, no key twice: each of them
lets the words of somebody whom the model quotes swallow or replace a part of its answer. Reading ends at the first
object that is broken: what follows may stand inside it. One pass, no backtracking: hostile text of 1 MB takes about as
long as harmless text.
"""

import json
import re
from typing import Any, NamedTuple

from apps.core.json_hygiene import storable
from apps.core.model_thoughts import TAG_NAMES

MAX_DEPTH = 64
MAX_NUMBER_CHARS = 40
MAX_CHARS = 1_000_000  # of a text; no model writes a quarter of a million tokens to be read here
MAX_OBJECTS = 1_000

_SPACE = re.compile(r"[\s\ufeff\u200b]*+")
# A word in braces ("{name}") is prose; any other brace begins an object.
_PROSE = re.compile(r"\{[^{}\"'“”„‘’`:\n]{1,200}\}")
_BRACE = re.compile(r"[{}]")
# Some models think aloud before they answer; what they weigh there is no answer.
_THOUGHT = re.compile(rf"\s*+<({TAG_NAMES})>", re.IGNORECASE)
_STRING = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_CURLY_STRING = re.compile(r"[“”„]([^“”„]*+)[“”]")
_CURLY = frozenset("“”„")
_ONE_BRACE_TOO_MANY = re.compile(r"[\s\ufeff\u200b]*+\}[\s\ufeff\u200b]*+(?:```)?+\s*+")
BROKEN = "a part of the reply is broken JSON"
DOUBLED = "the reply gives a key twice, so that nobody knows which one was meant"
TOO_LONG = f"the reply is longer than {MAX_CHARS:,} characters (1 MB)"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+")
_WORD = re.compile(r"true|false|null|NaN|-?Infinity")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_NOT_A_NUMBER = float("nan")


class TextObject(NamedTuple):
    """An object and where it stood in the text."""

    start: int
    end: int
    value: dict[str, Any]


class _Broken(Exception):
    """The text is no JSON object from here on. The argument says why."""

    def __init__(self, why: str = BROKEN) -> None:
        super().__init__(why)
        self.why = why


class Objects(NamedTuple):
    """The complete objects of a text in their order, and why reading ended before its end ("": it did not)."""

    objects: list[TextObject]
    fault: str


def read_objects(text: str) -> Objects:
    """The outermost complete objects of a text, in order. Nothing is read inside or behind an object that is broken
    (single quotes, a quotation mark that was not escaped, a comment, a key given twice, an end that is missing): it
    cannot be told what belongs to it. A closing brace outside any object is broken too, but for one at the very end.
    A `<think>` block at the start is passed over; a text that is one JSON string with one object in it is that object.
    Linear in the length of the text; one longer than MAX_CHARS, or with more than MAX_OBJECTS, counts as broken.
    """
    if len(text) > MAX_CHARS:
        return Objects([], TOO_LONG)
    inner = _whole_string(text)
    if inner is not None:
        return inner
    return _read(text)


def _read(text: str) -> Objects:
    objects: list[TextObject] = []
    position = _behind_thoughts(text)
    while match := _BRACE.search(text, position):
        start = match.start()
        if len(objects) == MAX_OBJECTS:
            return Objects(objects, BROKEN)
        prose = _PROSE.match(text, start)
        if prose:
            position = prose.end()
            continue
        if match.group() == "}":  # something ended too early, unless nothing at all stands behind the last object
            harmless = objects and _ONE_BRACE_TOO_MANY.fullmatch(text, objects[-1].end)
            return Objects(objects, "" if harmless else BROKEN)
        try:
            value, position = _object(text, start)
        except _Broken as error:
            return Objects(objects, error.why)
        objects.append(TextObject(start, position, value))
    return Objects(objects, "")


def _whole_string(text: str) -> Objects | None:
    """A reply that is one JSON string holding one object and nothing else, as some models wrap theirs."""
    start = _skip(text, 0)
    if text[start : start + 1] != '"':
        return None
    try:
        value, end = _string(text, start, '"')
    except _Broken:
        return None
    inner = value.strip()
    if _skip(text, end) != len(text) or not inner.startswith("{"):
        return None
    objects = _read(inner)
    whole = not objects.fault and len(objects.objects) == 1 and objects.objects[0].end == len(inner)
    return Objects([TextObject(0, len(text), objects.objects[0].value)], "") if whole else Objects([], BROKEN)


def _behind_thoughts(text: str) -> int:
    opening = _THOUGHT.match(text)
    if opening is None:
        return 0
    closing = text.lower().find(f"</{opening[1].lower()}>", opening.end())
    return len(text) if closing < 0 else closing


def _as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Broken(DOUBLED)
    return result


def _number(token: str) -> float:
    # A longer token is no score; turning it into a number could cost more than reading it.
    return float(token) if len(token) <= MAX_NUMBER_CHARS else _NOT_A_NUMBER


def _object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object that begins at `start` and the position behind it. Raises _Broken."""
    first = _skip(text, start + 1)
    quote = (
        "“" if text[first : first + 1] in _CURLY else '"'
    )  # whoever writes the object decides; whom it quotes comes later
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
            position = _open_pair(text, position + 1, stack[-1], quote)
            continue
        else:
            value, position = _scalar(text, position, quote)
        if not stack:
            return value, position
        position = _append(text, position, stack[-1], value, quote)


def _value_expected(stack: list[tuple[list[Any], str]]) -> bool:
    return not stack or stack[-1][1] == "]" or bool(stack[-1][0] and isinstance(stack[-1][0][-1], _KeyText))


class _KeyText(str):
    """A key whose value has not been read yet."""

    __slots__ = ()


def _open_pair(text: str, position: int, container: tuple[list[Any], str], quote: str) -> int:
    """Read the next key of an object and its colon, unless the object closes here; skip blanks in a list."""
    items, closer = container
    position = _skip(text, position)
    if closer == "]" or text[position : position + 1] == closer:
        return position
    key, position = _string(text, position, quote)
    position = _skip(text, position)
    if text[position : position + 1] != ":":
        raise _Broken
    items.append(_KeyText(key))
    return position + 1


def _append(text: str, position: int, container: tuple[list[Any], str], value: Any, quote: str) -> int:
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
        return _open_pair(text, position + 1, container, quote)
    if char != closer:
        raise _Broken
    return position


def _scalar(text: str, position: int, quote: str) -> tuple[Any, int]:
    char = text[position : position + 1]
    if char and (char == '"' or char in _CURLY):
        return _string(text, position, quote)
    if word := _WORD.match(text, position):
        return _WORDS.get(word.group(), _NOT_A_NUMBER), word.end()
    if number := _NUMBER.match(text, position):
        return _number(number.group()), number.end()
    raise _Broken


def _string(text: str, position: int, quote: str) -> tuple[str, int]:
    """Read a string in its object's kind of quotation marks. A second kind could swallow a part of the answer."""
    if quote != '"':
        if match := _CURLY_STRING.match(text, position):
            return match.group(1), match.end()
        raise _Broken
    match = _STRING.match(text, position)
    if match is None:
        raise _Broken
    body = match.group(1)
    if "\\" not in body:
        return body, match.end()
    try:
        return storable(json.loads(match.group(), strict=False)), match.end()  # half a character is none
    except ValueError:
        raise _Broken from None


def _skip(text: str, position: int) -> int:
    """Behind white space."""
    match = _SPACE.match(text, position)
    return match.end() if match else position
