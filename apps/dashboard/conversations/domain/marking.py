"""Finding quotes in turns, so that a page can mark what a reason rests on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from apps.core.redaction import MASKED

_ELLIPSIS = re.compile(r"(?<!\s)\s*+(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*")
# Quotes are stored masked, turns as the tenant wants them: what a mask hid is a number or a few words of the turn.
_HIDDEN = re.compile(r"\s*(?:[+(]?\d[^\w\n]{0,3}(?:\d[^\w\n]{0,3}){3,18}\d|\S{1,60})")
_MAX_HIDDEN = 80
_MAX_PLACES = 20  # at which a masked quote may begin


_CAPITALISED = re.compile(r"(?<![\w<@./-])[^\W\d_a-z][^\W\d_]+(?:['’-][^\W\d_]+)*")
_MAX_CODE = 4
# Words that begin sentences of customers and agents, in English, Swahili and Italian.
_OPENERS = frozenset(
    [
        "a",
        "and",
        "are",
        "as",
        "at",
        "but",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "have",
        "hello",
        "here",
        "hey",
        "hi",
        "how",
        "i'd",
        "i'll",
        "i'm",
        "i've",
        "if",
        "in",
        "is",
        "it",
        "it's",
        "its",
        "just",
        "let",
        "may",
        "maybe",
        "my",
        "no",
        "not",
        "now",
        "of",
        "ok",
        "okay",
        "on",
        "one",
        "or",
        "our",
        "please",
        "shall",
        "so",
        "sorry",
        "sure",
        "thank",
        "thanks",
        "that",
        "that's",
        "the",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "today",
        "tomorrow",
        "unfortunately",
        "very",
        "was",
        "we",
        "we'll",
        "we're",
        "well",
        "what",
        "what's",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "yes",
        "you",
        "you're",
        "your",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "habari",
        "hapana",
        "je",
        "jambo",
        "kama",
        "karibu",
        "kesho",
        "kwa",
        "leo",
        "mambo",
        "na",
        "naomba",
        "nataka",
        "ndiyo",
        "ni",
        "niaje",
        "pole",
        "sasa",
        "sawa",
        "tafadhali",
        "asante",
        "ahsante",
        "samahani",
        "shikamoo",
        "una",
        "unaweza",
        "buongiorno",
        "ciao",
        "grazie",
        "salve",
        "va",
        "vorrei",
        "per",
        "il",
        "la",
        "un",
        "una",
        "non",
        "sì",
        "prego",
        "che",
        "come",
        "quando",
        "dove",
        "certo",
        "posso",
    ]
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a turn's text; `marks` are the ids of the quotes that cover it, "" where none does. `is_name`: it
    may be somebody's name."""

    text: str
    marks: str = ""
    is_name: bool = False


def spans(text: str, quote: str) -> list[tuple[int, int]]:
    """Return the places of a quote in a text.

    Case and white space do not count, an ellipsis parts it. [] where it is not there.
    """
    places = []
    start = 0
    for part in _ELLIPSIS.split(quote.strip().strip("\"'“”«»")):
        if not part.strip():
            continue
        match = re.compile(_words(part), re.I).search(text, start)
        place = match.span() if match else _behind_masks(text, start, part)
        if place is None:
            return []
        places.append(place)
        start = place[1]
    return places


def _words(part: str) -> str:
    return r"\s+".join(re.escape(word) for word in part.split())


def _behind_masks(text: str, start: int, part: str) -> tuple[int, int] | None:
    """Return the place of a part with masks: its words in order, with a little between.

    The last mask is marked too. Each word is looked for in a short window: no quote makes this slow.
    """
    fragments = MASKED.split(part)
    words = [re.compile(_words(piece), re.I) for piece in fragments if piece.strip()]
    if len(fragments) == 1 or not words:
        return None
    for count, first in enumerate(words[0].finditer(text, start)):
        if count == _MAX_PLACES:
            return None
        end: int | None = first.end()
        for word in words[1:]:
            following = word.search(text, end, end + _MAX_HIDDEN + len(part)) if end is not None else None
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


def name_pieces(text: str) -> list[Piece]:
    """Cut a text around the words that may be names.

    They begin with a capital, but for common words that begin a sentence and for short codes (KES). Masking by rules
    finds names only where they are listed.
    """
    cut, last = list[Piece](), 0
    for word in _CAPITALISED.finditer(text):
        is_code = word[0].isupper() and len(word[0]) <= _MAX_CODE
        if is_code or not word[0][0].isupper() or word[0].lower() in _OPENERS:
            continue
        cut += [Piece(text[last : word.start()]), Piece(word[0], is_name=True)]
        last = word.end()
    return [one for one in (*cut, Piece(text[last:])) if one.text] or [Piece(text)]
