"""Answer of a rule: a score of 0–10 or none, a reason, and quotes taken word for word from the turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from apps.core.dialogue.transcript import Sentence, SpokenTurn

MAX_QUOTES = 4
MAX_QUOTE_CHARS = 240


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of turn number `turn` (from 0, as in the document), always a verbatim substring of its content."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """One rule's verdict. `score` is None when the criterion cannot be assessed here (never a zero in disguise)."""

    score: float | None
    reason: str
    evidence: tuple[Quote, ...] = ()


def quote(turn: SpokenTurn, sentence: Sentence | None = None) -> Quote:
    """The sentence (or the whole turn) as a quote, cut at a space when it is long."""
    text = turn.text[sentence.start : sentence.end] if sentence else turn.text
    text = text.strip()
    if len(text) > MAX_QUOTE_CHARS:
        cut = text.rfind(" ", 0, MAX_QUOTE_CHARS)
        text = text[: cut if cut > 0 else MAX_QUOTE_CHARS]
    return Quote(turn.index, text)


def quote_at(turn: SpokenTurn, position: int) -> Quote:
    """The sentence that holds the character `position`."""
    for sentence in turn.sentences:
        if sentence.start <= position < sentence.end:
            return quote(turn, sentence)
    return quote(turn)


def unique(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """The first MAX_QUOTES different, non-empty quotes."""
    distinct: list[Quote] = []
    for item in quotes:
        if item.text and item not in distinct:
            distinct.append(item)
        if len(distinct) == MAX_QUOTES:
            break
    return tuple(distinct)


def ramp(value: float, points: Sequence[tuple[float, float]]) -> float:
    """Piecewise-linear interpolation through `points` (x rising); flat outside them. No cliffs in any score."""
    if value <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        if value <= x1:
            return y0 + (y1 - y0) * (value - x0) / (x1 - x0)
    return points[-1][1]


def bounded(score: float) -> float:
    """Bound a score to 0–10, with one decimal."""
    return round(min(10.0, max(0.0, score)), 1)
