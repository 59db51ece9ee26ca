"""Replies are stored masked, byte for byte as long as they were, also where a stream cuts a phone number in two.

A piece that stood in the request as well (the model repeats what the customer told it) is noted with its place, so
that playing puts in what the request of that day says: such a reply is byte-equal although it is nowhere stored.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_ratiba.recording.masking import Masker, is_secret_key, mask, named_spans

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}\[\],:]|true|false|null')
_ESCAPE = re.compile(r"\\+(?:u[0-9a-fA-F]{4}|.)")  # also of JSON inside a JSON text
_PLAIN_KEYS = re.compile(
    r"(?i)(?:^|_)ids?$|Id$|^(?:object|type|role|model|modelVersion|finish_reason|status|.*signature)$"
)
_COUNTED = re.compile(r"(?i)created|expires|time|_at$|tokens|count")
_PHONE_NUMBER = re.compile(r"(?:254[17]\d{8}|\d{11,15})")
Places = list[list[int]]  # [start, length] in characters of the reply's text, in order


@dataclass(frozen=True, kw_only=True)
class MaskedReply:
    """`text` as it is stored; `fills`: index of a personal value of the request, and where it stands in the text."""

    text: str
    fills: tuple[tuple[int, Places], ...] = ()


def mask_reply(text: str, *, masker: Masker, values: Sequence[str], structured: bool, streamed: bool) -> MaskedReply:
    """The reply's whole text, masked. `values` are the personal values of its request. `structured`: it is JSON, or
    events that hold JSON; of other texts everything is looked at. `streamed`: pieces under one key belong together."""
    out = list(text)
    fills: list[tuple[int, Places]] = []
    groups = _groups(text, streamed=streamed) if structured else iter([("", [(0, len(text))])])
    for key, spans in groups:
        if is_secret_key(key):
            _hide(out, [[start, end - start] for start, end in spans])
            continue
        joined = "".join(text[start:end] for start, end in spans)
        seen = _ESCAPE.sub(lambda match: " " * len(match.group()), joined) if structured else joined
        for start, end in (*masker.secret_spans(seen), *named_spans(joined)):
            _hide(out, _places(spans, start, end))
        for start, end in masker.personal_spans(seen):
            places = _places(spans, start, end)
            if joined[start:end] in values:
                fills.append((values.index(joined[start:end]), places))
            _hide(out, places)
    return MaskedReply(text="".join(out), fills=tuple(fills))


def filled(text: str, fills: Sequence[tuple[int, Places]], values: Sequence[str]) -> str:
    """The reply for a request with these personal values. A value of another length than was recorded stays masked."""
    out = list(text)
    for index, places in fills:
        if index >= len(values) or sum(length for _, length in places) != len(values[index]):
            continue
        at = 0
        for start, length in places:
            out[start : start + length] = values[index][at : at + length]
            at += length
    return "".join(out)


def _hide(out: list[str], places: Places) -> None:
    text = "".join("".join(out[start : start + length]) for start, length in places)
    piece = mask(_ESCAPE.sub(lambda match: "\0" * len(match.group()), text))
    piece = "".join(one if hidden == "\0" else hidden for one, hidden in zip(text, piece, strict=True))
    at = 0
    for start, length in places:
        out[start : start + length] = piece[at : at + length]
        at += length


def _places(spans: Sequence[tuple[int, int]], start: int, end: int) -> Places:
    """Return the places in the text of the characters start..end of the joined spans."""
    places, at = [], 0
    for span_start, span_end in spans:
        length = span_end - span_start
        first, last = max(start, at), min(end, at + length)
        if first < last:
            places.append([span_start + first - at, last - first])
        at += length
    return places


def _groups(text: str, *, streamed: bool) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """(key, spans) of the texts that people read: one by one, or all those of a stream that stand at one place."""
    together: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for path, start, end, literal in _leaves(text):
        key = next((part for part in reversed(path) if part != "*"), "")
        if literal:
            number = text[start:end]
            if (_PHONE_NUMBER.fullmatch(number) and not _COUNTED.search(key)) or is_secret_key(key):
                yield key, [(start, end)]
        elif is_secret_key(key) or not _PLAIN_KEYS.search(key):
            if streamed and not is_secret_key(key):
                together.setdefault(path, []).append((start, end))
            else:
                yield key, [(start, end)]
    for path, spans in together.items():
        yield next((part for part in reversed(path) if part != "*"), ""), spans


def _leaves(text: str) -> Iterator[tuple[tuple[str, ...], int, int, bool]]:
    """(path, start, end, is a number) of the values in one or several JSON documents; list indexes are `*`."""
    stack: list[list[Any]] = []  # [kind, key, a key is expected]
    for match in _TOKEN.finditer(text):
        token = match.group()
        first = token[0]
        if first in "{[":
            stack.append([first, "*" if first == "[" else "", first == "{"])
        elif not stack:
            continue
        elif first in "}]":
            stack.pop()
        elif first == ",":
            stack[-1][2] = stack[-1][0] == "{"
        elif first == ":":
            stack[-1][2] = False
        elif first == '"' and stack[-1][2]:
            stack[-1][1] = token[1:-1]
        elif first == '"':
            yield _path(stack), match.start() + 1, match.end() - 1, False
        elif first in "-0123456789":
            yield _path(stack), match.start(), match.end(), True


def _path(stack: list[list[Any]]) -> tuple[str, ...]:
    return tuple(frame[1] for frame in stack)


def by_bytes(text: str, lengths: Sequence[int]) -> tuple[bytes, ...]:
    """The text in chunks of so many bytes."""
    body, chunks, at = text.encode("utf-8", "surrogatepass"), [], 0
    for length in lengths:
        chunks.append(body[at : at + length])
        at += length
    return tuple(chunks)
