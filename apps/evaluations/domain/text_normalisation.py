"""Text as evidence compares it: white space, typographic punctuation and invisible signs folded, words untouched."""

import re
import unicodedata

_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′‵ʼ´`"), "'") | dict.fromkeys(map(ord, "“”„‟″‶«»"), '"')
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
_INVISIBLE = dict.fromkeys(
    [0x00, 0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF], ""
)
_FOLD = str.maketrans(_QUOTES | _DASHES | {ord("…"): "..."} | _INVISIBLE)
_BOLD = re.compile(r"\*\*|(?<!\w)__|__(?!\w)")  # Markdown emphasis: how the words look, not what they are


def fold(text: str) -> str:
    """The folded text. Letter case stays."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_FOLD)
    elif "`" in text:
        text = text.replace("`", "'")
    if "**" in text or "__" in text:
        text = _BOLD.sub("", text)
    return " ".join(text.split())


def lowered(folded: str) -> str:
    """Return a text in lower case and of the same length; a letter that would grow stays as it is."""
    small = folded.lower()
    if len(small) == len(folded):
        return small
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in folded)


def own_words(raw: str, start: int, end: int) -> str:
    """The part of the raw text that stands at start:end of its folded form: the speaker's own words, verbatim."""
    if not raw.isascii():
        raw = unicodedata.normalize("NFC", raw)
    fragment = fold(raw)[start:end]
    if fragment in raw:
        return fragment
    places = _places(raw)
    if end > len(places):
        return fragment
    words = raw[places[start] : places[end - 1] + 1]
    return words if fold(words) == fragment.strip() else fragment


def _places(raw: str) -> list[int]:
    """The place in raw of each character of fold(raw)."""
    places: list[int] = []
    skipped = {place for match in _BOLD.finditer(raw) for place in range(*match.span())}
    gap = True  # white space at the start is no character of the folded text
    for place, char in enumerate(raw):
        if place in skipped:
            continue
        if char.isspace():
            if not gap:
                places.append(place)
            gap = True
            continue
        folded = char.translate(_FOLD)
        if folded:
            places.extend([place] * len(folded))
            gap = False
    return places
