"""Rules for a JSON value from outside, before it may reach Postgres or a canonical digest."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from apps.core.errors import BadInput

MAX_DEPTH = 64  # well under Python's recursion limit and Postgres's stack, far over any real transcript
MAX_DIGITS = 300  # a float holds 308; longer integers break clients that read numbers as doubles

_HALF = re.compile("[\0\ud800-\udfff]")
_STRIDE = 50
_LONG_DIGITS = re.compile(rf"[0-9]{{{MAX_DIGITS // _STRIDE}}}")


class _DoubledKey(dict[str, Any]):
    """An object of which one value is lost already, because another stands under the same key."""

    key = ""


def decoded_json(text: str, *, numbers_only: bool = False) -> Any:
    """The JSON value of a text. Raises BadInput (`doubled_key`, with the pointer) where an object names a key twice:
    whoever reads it would lose one of the two; ValueError, RecursionError for what is no JSON, and with `numbers_only`
    for NaN and infinities, which `first_fault` names otherwise."""
    doubled = False

    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal doubled
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        doubled, lossy = True, _DoubledKey(plain)
        lossy.key = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return lossy

    value = json.loads(text, object_pairs_hook=as_dict, parse_constant=_refuse_constant if numbers_only else None)
    if doubled:
        pointer, key = next(_doubled_keys(value))
        raise BadInput(
            f"the key {key[:100]!r} stands twice in one object ({pointer[:200]}): leave one of them out",
            code="doubled_key",
            pointer=pointer,
        )
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _doubled_keys(value: Any) -> Iterator[tuple[str, str]]:
    stack: list[tuple[Any, str]] = [(value, "")]
    while stack:
        node, where = stack.pop()
        if isinstance(node, _DoubledKey):
            yield f"{where}/{escape(node.key)}", node.key
        if isinstance(node, dict):
            stack.extend((item, f"{where}/{escape(key)}") for key, item in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend((item, f"{where}/{number}") for number, item in reversed(list(enumerate(node))))


def first_fault(value: Any, *, pointer: str = "") -> tuple[str, str] | None:
    """(JSON pointer, what is wrong) of the first unusable part, or None when all of it can be stored.

    Refused: NUL characters, lone surrogates, NaN and infinities, numbers of 300 digits and more, nesting deeper than
    64, keys that are not text, and values that are not JSON. One C-speed pass for clean values.
    """
    if _is_clean(value):
        return None
    return next(_faults(value, pointer), None)


def storable(value: Any) -> Any:
    """Return the value as Postgres can keep it, for an answer that was paid for and cannot be refused.

    NUL and half surrogate pairs, in texts and keys at any depth, become U+FFFD. Clean values come back as they are.
    """
    if isinstance(value, str):
        if value.isascii():
            return value.replace("\0", "\ufffd")
        return _HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    return value


def _is_clean(value: Any) -> bool:
    """True when certainly clean; False means: look closely."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return False
    # Every 50th character: a number of 300 digits shows as 6 digits side by side, at a fiftieth of the cost.
    if "\\u0000" in text or _LONG_DIGITS.search(text[::_STRIDE]):
        return False
    return text.count("[") + text.count("{") < MAX_DEPTH or not _is_deep(value)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for node in level
            for item in (node.values() if isinstance(node, dict) else node)
            if isinstance(item, (dict, list, tuple))
        ]
        if not level:
            return False
    return True


def _faults(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    stack: list[tuple[Any, str, int]] = [(value, pointer, 0)]
    while stack:
        node, where, depth = stack.pop()
        if depth > MAX_DEPTH:
            yield where, f"is nested deeper than {MAX_DEPTH} levels: flatten it"
        elif isinstance(node, dict):
            for key in node:
                fault = _scalar_fault(key) if isinstance(key, str) else "has a key that is not text"
                if fault:
                    yield where, f"has a key that {fault}" if isinstance(key, str) else fault
            stack.extend((item, f"{where}/{escape(str(key))}", depth + 1) for key, item in reversed(node.items()))
        elif isinstance(node, (list, tuple)):
            stack.extend((item, f"{where}/{number}", depth + 1) for number, item in reversed(list(enumerate(node))))
        else:
            fault = _scalar_fault(node)
            if fault:
                yield where, fault


def _scalar_fault(value: Any) -> str | None:
    if isinstance(value, str):
        return _text_fault(value)
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return "is a number too large to store" if value.bit_length() > MAX_DIGITS * 3 else None
    if isinstance(value, float):
        return None if math.isfinite(value) else "is not a finite number: leave it out or write null"
    return f"is a {type(value).__name__}, which is not JSON"


def _text_fault(text: str) -> str | None:
    if "\0" in text:
        return "contains a NUL character: remove it"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "contains half of a surrogate pair: write the whole character"
    return None


def escape(key: str) -> str:
    """One reference token of an RFC 6901 pointer."""
    return key.replace("~", "~0").replace("/", "~1").encode("utf-8", "replace").decode()
