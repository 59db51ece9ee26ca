"""Does what a judge quotes stand in the conversation? Exact, pattern or unverified (seeds 003, scenario 5).

**exact**: the words of one turn, with white space and typographic punctuation folded. Where only the turn number,
letter case or an ellipsis within one turn was off, the transcript's own words and turn are given instead, and `repair`
says which.
**pattern**: the evidence says of itself that it is a summary ("pattern observed", "across N conversations", "generally
tends to"), and its N is not more than there were. **unverified**: neither. Catches fabricated quotes, not paraphrases.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any


class Kind(StrEnum):
    EXACT = "exact"
    PATTERN = "pattern"
    UNVERIFIED = "unverified"


TRANSCRIPT = "transcript"
MAX_QUOTE_CHARS = 4_000
MIN_ELLIPSIS_WORDS = 2  # each side of an ellipsis must still be words somebody said, not "the … the"

_FOLD = {
    **dict.fromkeys("‘’‚‛′´`ʼ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
}
_IGNORED = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")
_PATTERN = re.compile(
    r"\bpatterns? observed\b|\bacross (?:\w+ )?conversations\b|\bgenerally tends? to\b", re.IGNORECASE
)
_ACROSS = re.compile(r"\bacross\s+(?:all\s+)?(\d{1,9})\s+(?:of\s+\d+\s+)?conversations?\b", re.IGNORECASE)
_LABEL = re.compile(
    r"^\s*[\[(]?\s*(?:turn|turno|zamu)?\s*#?\s*(?P<number>\d{1,4})\s*[\])]?\s*(?:[:.)-]\s*|(?<=[\])])\s*)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s*[\[(]\s*(?:turn|turno|zamu)\s*#?\s*(?P<number>\d{1,4})\s*[\])]\s*\.?\s*$", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*(?P<who>customer|user|agent|assistant|mteja|wakala|cliente|agente)\s*:\s*", re.IGNORECASE)
_ROLES = {
    **dict.fromkeys(("customer", "user", "mteja", "cliente"), "user"),
    **dict.fromkeys(("agent", "assistant", "wakala", "agente"), "assistant"),
}
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…|\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\))\s*")
_QUOTES = "\"'“”‘’«»„`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was found. `quote` is the transcript's own words where exact, else what the judge wrote."""

    kind: Kind
    quote: str
    turn: int | None = None
    repair: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read what the judge wrote, with the turn and speaker its labels claim."""

    text: str
    turn: int | None
    role: str | None


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text folded for comparison; `at[i]` is where folded character i stands in the original."""

    text: str
    lower: str
    at: tuple[int, ...]


def verify(
    quote: str,
    turns: Sequence[Mapping[str, Any]],
    *,
    turn: int | None = None,
    role: str | None = None,
    sources: Mapping[str, str] | Sequence[Any] = (),
    conversations: int | None = None,
) -> Evidence:
    """Check one quote against the turns of a conversation document (numbered from 0) and against other sources.

    `turn` and `role` are what the judge claims; labels in the quote itself ("[3]", "turn 3:", "Agent:") claim the same.
    The wrong speaker's words are not exact. `sources` are policy or profile texts, {name: text}, (name, text) pairs or
    plain texts. `conversations` is how many the judge was shown: "across N" may not say more. Pure; linear in the text.
    """
    if len(quote) > MAX_QUOTE_CHARS:
        return Evidence(kind=Kind.UNVERIFIED, quote=quote)
    readings = list(_readings(quote, turn, role))
    for find in (_verbatim, _other_case, _with_gaps):
        for reading in readings:
            found = find(reading, turns)
            if found is not None:
                return found
    for name, text in _named(sources):
        for reading in readings:
            span = _search(_fold(text), reading.text, ignore_case=False) or _search(
                _fold(text), reading.text, ignore_case=True
            )
            if span is not None:
                return Evidence(kind=Kind.EXACT, quote=text[span[0] : span[1]], source=name)
    if _PATTERN.search(quote) and not _overclaims(quote, conversations):
        return Evidence(kind=Kind.PATTERN, quote=quote)
    return Evidence(kind=Kind.UNVERIFIED, quote=quote)


def _readings(quote: str, turn: int | None, role: str | None) -> Iterator[_Reading]:
    """As written, then with labels and quotation marks peeled off, outermost first."""
    seen: set[str] = set()
    text = quote.strip()
    for _ in range(5):
        for candidate in (text, text.strip(_QUOTES + " \n\t")):
            if candidate and candidate not in seen:
                seen.add(candidate)
                yield _Reading(candidate, turn, role)
        text, turn, role, peeled = _peel(text, turn, role)
        if not peeled:
            return


def _peel(text: str, turn: int | None, role: str | None) -> tuple[str, int | None, str | None, bool]:
    tail = _TAIL.search(text)
    if tail:
        return text[: tail.start()], int(tail["number"]) if turn is None else turn, role, True
    label = _LABEL.match(text)
    if label and label.end() < len(text):
        return text[label.end() :], int(label["number"]) if turn is None else turn, role, True
    speaker = _SPEAKER.match(text)
    if speaker and speaker.end() < len(text):
        return text[speaker.end() :], turn, role or _ROLES[speaker["who"].lower()], True
    bare = text.strip(_QUOTES + " \n\t")
    return bare, turn, role, bare != text


def _verbatim(reading: _Reading, turns: Sequence[Mapping[str, Any]]) -> Evidence | None:
    return _anywhere(reading, turns, ignore_case=False, repair=None)


def _other_case(reading: _Reading, turns: Sequence[Mapping[str, Any]]) -> Evidence | None:
    return _anywhere(reading, turns, ignore_case=True, repair="case")


def _anywhere(
    reading: _Reading, turns: Sequence[Mapping[str, Any]], *, ignore_case: bool, repair: str | None
) -> Evidence | None:
    for number, text in _texts(reading, turns):
        span = _search(_fold(text), reading.text, ignore_case=ignore_case)
        if span is not None:
            moved = reading.turn is not None and number != reading.turn
            return Evidence(
                kind=Kind.EXACT,
                quote=text[span[0] : span[1]],
                turn=number,
                repair=repair or ("turn" if moved else None),
                source=TRANSCRIPT,
            )
    return None


def _with_gaps(reading: _Reading, turns: Sequence[Mapping[str, Any]]) -> Evidence | None:
    """Parts of one turn in their order, joined by an ellipsis; an ellipsis at either end drops nothing."""
    parts = [part for part in _ELLIPSIS.split(reading.text) if part.strip(_QUOTES + " .,")]
    if not parts or (len(parts) == 1 and parts[0] == reading.text):
        return None
    if len(parts) > 1 and any(len(part.split()) < MIN_ELLIPSIS_WORDS for part in parts):
        return None
    for number, text in _texts(reading, turns):
        folded, start, first = _fold(text), 0, None
        for part in parts:
            span = _search(folded, part, ignore_case=True, after=start)
            if span is None:
                break
            first = span[0] if first is None else first
            start = span[1]
        else:
            return Evidence(
                kind=Kind.EXACT, quote=text[first or 0 : start], turn=number, repair="ellipsis", source=TRANSCRIPT
            )
    return None


def _texts(reading: _Reading, turns: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Texts of the turns that may hold the quote, the claimed turn first."""
    order = list(range(len(turns)))
    if reading.turn is not None and 0 <= reading.turn < len(turns):
        order.remove(reading.turn)
        order.insert(0, reading.turn)
    for number in order:
        said = turns[number]
        if reading.role is None or said.get("role") == reading.role:
            text = said.get("content")
            if isinstance(text, str) and text:
                yield number, text


def _search(folded: _Folded, quote: str, *, ignore_case: bool, after: int = 0) -> tuple[int, int] | None:
    """Where the quote stands as whole words, as a span of the original text at or after `after`."""
    wanted = _fold(quote)
    needle = (wanted.lower if ignore_case else wanted.text).strip()
    if not needle or not any(letter.isalnum() for letter in needle):
        return None
    hay = folded.lower if ignore_case else folded.text
    at = hay.find(needle)
    while at >= 0:
        end = at + len(needle)
        whole = not (_joined(hay, at - 1, at) or _joined(hay, end - 1, end))
        if whole and folded.at[at] >= after:
            return folded.at[at], folded.at[end - 1] + 1
        at = hay.find(needle, at + 1)
    return None


def _joined(text: str, left: int, right: int) -> bool:
    """Whether cutting between these two characters cuts a word or a number."""
    return left >= 0 and right < len(text) and text[left].isalnum() and text[right].isalnum()


@lru_cache(maxsize=4096)
def _fold(text: str) -> _Folded:
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if letter in _IGNORED:
            continue
        if letter.isspace():
            if letters and letters[-1] == " ":
                continue
            letter = " "
        letters.append(_FOLD.get(letter, letter))
        places.append(place)
    folded = "".join(letters)
    lower = folded.lower()
    if len(lower) != len(folded):  # a letter whose small form is longer: keep the places aligned
        lower = "".join(small if len(small := letter.lower()) == 1 else letter for letter in folded)
    return _Folded(folded, lower, tuple(places))


def _named(sources: Mapping[str, str] | Sequence[Any]) -> Iterator[tuple[str, str]]:
    if isinstance(sources, Mapping):
        yield from sources.items()
        return
    for item in sources:
        if isinstance(item, str):
            yield "source", item
        elif isinstance(item, Mapping):
            yield str(item.get("name", "source")), str(item.get("text", ""))
        else:
            yield str(item[0]), str(item[1])


def _overclaims(quote: str, conversations: int | None) -> bool:
    claimed = [int(number) for number in _ACROSS.findall(quote)]
    return conversations is not None and any(number > conversations or number == 0 for number in claimed)
