"""Finding quotes in turns, so that a page can mark what a reason rests on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_ELLIPSIS = re.compile(r"(?<!\s)\s*+(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a turn's text; `marks` are the ids of the quotes that cover it, "" where none does."""

    text: str
    marks: str = ""


def spans(text: str, quote: str) -> list[tuple[int, int]]:
    """Where a quote stands in a text: case and white space do not count, an ellipsis parts it. [] where it is not."""
    found = []
    start = 0
    for part in _ELLIPSIS.split(quote.strip().strip("\"'“”«»")):
        words = [re.escape(word) for word in part.split()]
        if not words:
            continue
        match = re.compile(r"\s+".join(words), re.I).search(text, start)
        if match is None:
            return []
        found.append(match.span())
        start = match.end()
    return found


def pieces(text: str, quotes: Sequence[tuple[str, str]]) -> list[Piece]:
    """A text cut where quotes begin and end. `quotes` are (id, quote); overlapping ones share their stretch."""
    covered = [(low, high, name) for name, quote in quotes for low, high in spans(text, quote)]
    edges = sorted({0, len(text), *(edge for low, high, _ in covered for edge in (low, high))})
    cut = []
    for low, high in pairwise(edges):
        names = [name for start, end, name in covered if start <= low and high <= end]
        cut.append(Piece(text[low:high], " ".join(names)))
    return cut or [Piece(text)]
