"""Finding quotes in turns, so that a page can mark what a reason rests on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from apps.core.redaction import MASKED

_ELLIPSIS = re.compile(r"(?<!\s)\s*+(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*")
# Quotes are stored masked, turns as the tenant wants them: what a mask hid is a number or a few words of the turn.
_HIDDEN = re.compile(r"\s*(?:[+(]?\d[^\w\n]{0,3}(?:\d[^\w\n]{0,3}){3,18}\d|\S{1,60})")
_LONGEST_HIDDEN = 80
_MOST_PLACES = 20  # at which a masked quote may begin


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
        if not part.strip():
            continue
        match = re.compile(_words(part), re.I).search(text, start)
        place = match.span() if match else _behind_masks(text, start, part)
        if place is None:
            return []
        found.append(place)
        start = place[1]
    return found


def _words(part: str) -> str:
    return r"\s+".join(re.escape(word) for word in part.split())


def _behind_masks(text: str, start: int, part: str) -> tuple[int, int] | None:
    """Where a part with masks stands, its words one after the other with a little between; the last mask is marked too.

    Each word is looked for in a short window: no quote makes this slow.
    """
    fragments = MASKED.split(part)
    words = [re.compile(_words(piece), re.I) for piece in fragments if piece.strip()]
    if len(fragments) == 1 or not words:
        return None
    for count, first in enumerate(words[0].finditer(text, start)):
        if count == _MOST_PLACES:
            return None
        end: int | None = first.end()
        for one in words[1:]:
            following = one.search(text, end, end + _LONGEST_HIDDEN + len(part)) if end is not None else None
            end = following.end() if following else None
        if end is not None:
            hidden = None if fragments[-1].strip() else _HIDDEN.match(text, end)
            return first.start(), hidden.end() if hidden else end
    return None


def pieces(text: str, quotes: Sequence[tuple[str, str]]) -> list[Piece]:
    """A text cut where quotes begin and end. `quotes` are (id, quote); overlapping ones share their stretch."""
    covered = [(low, high, name) for name, quote in quotes for low, high in spans(text, quote)]
    edges = sorted({0, len(text), *(edge for low, high, _ in covered for edge in (low, high))})
    cut = []
    for low, high in pairwise(edges):
        names = [name for start, end, name in covered if start <= low and high <= end]
        cut.append(Piece(text[low:high], " ".join(names)))
    return cut or [Piece(text)]
