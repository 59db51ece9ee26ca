"""All turns of a conversation as one folded text, so that a quote is sought once and found as whole words."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from apps.evaluations.domain.text_normalisation import fold, lowered, own_words

_APART = "\x00"  # stands between pieces; folding drops it from their texts, so no quote can reach across


class Speech:
    """The searchable text of a conversation.

    `pieces` are (start, end, turn) in `text`; `lower` is the same text in small letters, place for place.
    """

    def __init__(self, messages: Iterable[tuple[int, str]]) -> None:
        self.pieces: list[tuple[int, int, int]] = []
        self._starts: list[int] = []
        self._raws: list[str] = []
        self._spans: dict[int, list[tuple[int, int]]] = {}
        folded: list[str] = []
        at = 0
        for number, raw in messages:
            words = fold(raw)
            folded.append(words)
            self._starts.append(at)
            self._raws.append(raw)
            self.pieces.append((at, at + len(words), number))
            self._spans.setdefault(number, []).append((at, at + len(words)))
            at += len(words) + len(_APART)
        self.text = _APART.join(folded)

    @cached_property
    def lower(self) -> str:
        return lowered(self.text)

    def spans(self, turn: int) -> list[tuple[int, int]]:
        """Return the places of a turn's pieces in the text; nothing for a turn that is not there."""
        return self._spans.get(turn, [])

    def turn_at(self, position: int) -> int:
        """The turn that holds this place of the text."""
        return self.pieces[bisect_right(self._starts, position) - 1][2]

    def own_words(self, start: int, end: int) -> str:
        """The speaker's own words at start:end of the text, as they were written."""
        place = bisect_right(self._starts, start) - 1
        raw, origin = self._raws[place], self._starts[place]
        if raw.isascii() and (fragment := self.text[start:end]) in raw:
            return fragment  # nearly always: only white space was folded, and not here
        return own_words(raw, start - origin, end - origin)


def in_order(text: str, parts: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
    """The span from the first part to the last, where all stand in text[start:end] one after the other."""
    first, at = None, start
    for part in parts:
        span = next(whole_words(text, part, at, end), None)
        if span is None:
            return None
        first = span if first is None else first
        at = span + len(part)
    return (start if first is None else first), at


def whole_words(text: str, words: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Find the places of the words in the text that cut no word or figure at either end."""
    stop = len(text) if end is None else end
    at = text.find(words, start, stop)
    while at >= 0:
        if not _cuts(text, at) and not _cuts(text, at + len(words)):
            yield at
        at = text.find(words, at + 1, stop)


def _cuts(text: str, at: int) -> bool:
    """Tell whether a cut before position `at` goes through a word ("can|not") or a figure ("12,|500", "1.|5")."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left.isalnum() and right.isalnum():
        return not (_has_no_spaces(left) or _has_no_spaces(right))
    if right.isdigit() and left in ",.:" and at > 1:
        return text[at - 2].isdigit()
    return left.isdigit() and right in ",.:" and at + 1 < len(text) and text[at + 1].isdigit()


def _has_no_spaces(char: str) -> bool:
    """Scripts that write words without spaces: Thai to Khmer, kana, Han, Hangul particles."""
    code = ord(char)
    return 0x0E00 <= code <= 0x109F or 0x1780 <= code <= 0x17FF or 0x3040 <= code <= 0xD7FF or 0xF900 <= code <= 0xFAFF
