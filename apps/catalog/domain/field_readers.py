"""Small readers of untyped data: each gives the typed value or a BadInput that points at the field."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from apps.core.errors import BadInput
from apps.core.languages import is_language

MAX_DEPTH = 64  # levels of a JSON value, as in core.json_hygiene
NAME = re.compile(r"[^\W_][\w.-]*", re.UNICODE)


def step(pointer: str, key: str | int) -> str:
    """The JSON pointer one level deeper (RFC 6901 escapes)."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def mapping(value: Any, pointer: str) -> Mapping[str, Any]:
    """A mapping with text keys; None counts as empty."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadInput(f"{pointer or '/'} must be a mapping, not {_kind(value)}", pointer=pointer)
    for key in value:
        if not isinstance(key, str):
            raise BadInput(f"{pointer or '/'}: the key {key!r} must be a text (put it in quotes)", pointer=pointer)
    return value


def listing(value: Any, pointer: str) -> list[Any]:
    """A list; None counts as empty."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadInput(f"{pointer} must be a list, not {_kind(value)}", pointer=pointer)
    return value


def text(value: Any, pointer: str, *, required: bool = False, limit: int = 100_000) -> str:
    """A text; None counts as empty; NUL is refused, since Postgres cannot keep it."""
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise BadInput(f"{pointer} must be a text, not {_kind(value)}", pointer=pointer)
    if required and not value.strip():
        raise BadInput(f"{pointer} must not be empty", pointer=pointer)
    if len(value) > limit:
        raise BadInput(f"{pointer} has {len(value):,} characters, the limit is {limit:,}", pointer=pointer)
    _storable(value, pointer)
    return value


def plain_json(value: Any, pointer: str) -> Any:
    """Any JSON value that Postgres can keep: text keys, finite numbers, no NUL, no lone surrogates."""
    if isinstance(value, str):
        _storable(value, pointer)
        return value
    if pointer.count("/") > MAX_DEPTH:
        raise BadInput(f"{pointer[:100]}… is nested deeper than {MAX_DEPTH} levels", pointer=pointer)
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list):
        return [plain_json(item, step(pointer, index)) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        for key in mapping(value, pointer):
            _storable(key, pointer)
        return {key: plain_json(item, step(pointer, key)) for key, item in value.items()}
    raise BadInput(f"{pointer}: {value!r} cannot be kept (put it in quotes)", pointer=pointer)


def json_mapping(value: Any, pointer: str) -> dict[str, Any]:
    """A mapping of JSON values; None counts as empty."""
    return {key: plain_json(item, step(pointer, key)) for key, item in mapping(value, pointer).items()}


def name(value: Any, pointer: str, *, limit: int = 100) -> str:
    """A name people refer to: letters, digits, `_`, `-`, `.`, at most `limit` long, no blanks and no `@`."""
    result = text(value, pointer, required=True, limit=limit)
    if not NAME.fullmatch(result):
        raise BadInput(
            f"{pointer}: {result!r} is not a name (letters, digits, '_', '-' and '.', starting with a letter or digit)",
            pointer=pointer,
        )
    return result


def number(value: Any, pointer: str, *, low: float, high: float) -> float:
    """A finite number within [low, high]; true and false are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{pointer} must be a number, not {value!r}", pointer=pointer)
    if not low <= value <= high:
        raise BadInput(f"{pointer}: {value} is outside {low:g} to {high:g}", pointer=pointer)
    return float(value)


def integer(value: Any, pointer: str, *, low: int, high: int) -> int:
    """A whole number within [low, high]."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"{pointer} must be a whole number, not {value!r}", pointer=pointer)
    if not low <= value <= high:
        raise BadInput(f"{pointer}: {value} is outside {low} to {high}", pointer=pointer)
    return value


def one_of(value: Any, allowed: Iterable[str], pointer: str) -> str:
    """One of a closed list."""
    names = [str(item) for item in allowed]
    if value not in names:
        raise BadInput(f"{pointer}: {value!r} is none of {', '.join(names)}", pointer=pointer)
    return str(value)


def language(value: Any, pointer: str) -> str:
    """A language as a field has it: a tag, two of them, a name we know, `mixed`, or nothing."""
    result = text(value, pointer, limit=20)
    if result and not is_language(result):
        raise BadInput(
            f"{pointer}: {result!r} is no language: write its tag (sw, en-GB), two of them (sw-en), or mixed",
            pointer=pointer,
        )
    return result


def only(raw: Mapping[str, Any], known: Iterable[str], pointer: str) -> None:
    """Refuse keys that nothing reads: a misspelt key must not pass in silence."""
    names = list(known)
    for key in raw:
        if key not in names:
            raise BadInput(
                f"{step(pointer, key)} is not known here; known are {', '.join(names)}", pointer=step(pointer, key)
            )


def _storable(value: str, pointer: str) -> None:
    if "\x00" in value:
        raise BadInput(f"{pointer} contains a NUL character", pointer=pointer)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput(f"{pointer} contains half a character (a lone surrogate)", pointer=pointer) from None


def _kind(value: Any) -> str:
    kinds = {
        dict: "a mapping",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return kinds.get(type(value), type(value).__name__)
