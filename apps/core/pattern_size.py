"""Count how large a regular expression will be when it is compiled, before it is compiled. Pure.

`regex` copies the body of a repeat as often as it must occur, and once more. A part inside n nested `{2}` is copied 3^n
times, inside n nested `+` 2^n times, so that a pattern of 92 signs fills gigabytes. Python's `re` keeps the body once:
its parser is safe to use.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

constants: Any = import_module("re._constants")  # the parser of `re`: there is no public one
parser: Any = import_module("re._parser")

MAX_COPIES = 1_000  # of one part, by all the repeats around it
MAX_PARTS = 20_000  # of the whole pattern as it is written out: about 600 bytes each
BACKTRACKING = (constants.MAX_REPEAT, constants.MIN_REPEAT)
REPEATS = (*BACKTRACKING, getattr(constants, "POSSESSIVE_REPEAT", None))


def bodies(kind: Any, value: Any) -> list[Any]:
    """The bodies inside a part of a parse tree that is no repeat."""
    if kind is constants.SUBPATTERN:
        return [value[-1]]
    if kind is constants.BRANCH:
        return list(value[1])
    if kind in (constants.ASSERT, constants.ASSERT_NOT):
        return [value[1]]
    if kind is constants.GROUPREF_EXISTS:
        return [body for body in value[1:] if body is not None]
    if kind is getattr(constants, "ATOMIC_GROUP", None):
        return [value]
    return []


@lru_cache(maxsize=512)
def size_problem(text: str) -> str:
    """The fault in the size of this pattern, "" where there is none. Raises the parser's errors."""
    parts = 0
    for part in _parts(parser.parse(text)):
        if part.nested > 1 and part.needed > MAX_COPIES:
            return (
                f"repeats inside repeats need one part {part.needed:,} times: {MAX_COPIES:,} is the most. Repeat less, "
                "or let the inner repeat be of any length, as in (?:ab+)+"
            )
        parts += part.size * part.written
        if parts > MAX_PARTS:
            return f"written out, its repeats make more than {MAX_PARTS:,} parts of it. Repeat less"
    return ""


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of the tree: its size, how often it is written out, what the repeats around it need, how many these
    are."""

    size: int
    written: int
    needed: int
    nested: int


def _parts(tree: Any) -> Iterator[_Part]:
    """Every part, without recursion."""
    stack = [(tree, 1, 1, 0)]
    while stack:
        sequence, written, needed, nested = stack.pop()
        for kind, value in sequence:
            yield _Part(len(value) if kind is constants.IN else 1, written, needed, nested)
            if kind not in REPEATS:
                stack.extend((body, written, needed, nested) for body in bodies(kind, value))
            elif value[0] == 0 or value[1] == 1:
                stack.append((value[2], written, needed, nested))
            else:
                least = int(value[0])
                stack.append((value[2], written * (least + 1), needed * least, nested + 1))
