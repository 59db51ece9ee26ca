"""Does what a judge quotes stand in the conversation? Exact, pattern or unverified (docs/adr/0016).

**exact**: the words of one turn, whole words only, with white space and typographic punctuation folded. They must say
something ("the" stands in every conversation); a comma at their end is the quoting sentence's. Where only the turn
number, letter case or an ellipsis within one turn was off, the transcript's own words and turn are given instead, and
`repair` says which. **pattern**: the evidence says of itself that it is a summary, and its N is not more than there
were. **unverified**: neither. This catches fabricated quotes, not paraphrases.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from apps.evaluations.domain.content_words import has_content
from apps.evaluations.domain.patterns import is_pattern
from apps.evaluations.domain.quote_parsing import ParsedQuote, readings
from apps.evaluations.domain.text_normalisation import fold, lowered, own_words
from apps.evaluations.domain.transcript_index import Speech, in_order, whole_words


class EvidenceKind(StrEnum):
    EXACT = "exact"
    PATTERN = "pattern"
    UNVERIFIED = "unverified"


class Repair(StrEnum):
    """The one repair that makes a quote exact. If it needs two, the first in this list is named."""

    ELLIPSIS = "ellipsis"
    CASE = "case"
    TURN = "turn"


TRANSCRIPT = "transcript"
POLICY = "policy"  # the name of a source that was given without one
MAX_QUOTE_CHARS = 8_000
_MIN_PART_CHARS = 3  # letters and digits on each side of an ellipsis: "I … it" proves nothing
_ELLIPSIS = re.compile(r"(?<!\s)\s*+(?:\[\s*+\.{2,}\s*+\]|\(\s*+\.{2,}\s*+\)|\.{3,})\s*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence that was found. `quote` is the transcript's own words where exact, else what the judge wrote;
    `source` is "transcript", or the name of the policy or profile text where the words stand there instead."""

    kind: EvidenceKind
    quote: str
    turn: int | None = None
    repair: Repair | None = None
    source: str | None = None


def verify(
    quote: str,
    turns: Sequence[Mapping[str, Any]],
    *,
    turn: int | None = None,
    role: str | None = None,
    sources: Mapping[str, str] | Sequence[Any] = (),
    conversations: int | Sized | None = None,
) -> Evidence:
    """Check one quote against the turns of a conversation document (numbered from 0) and against other sources.

    `turn` and `role` are what the judge claims; labels in the quote itself ("[3]", "turn 3:", "Agent:") claim the same.
    The wrong speaker's words are not exact. `sources` are policy or profile texts: {name: text}, (name, text) pairs or
    plain texts (named "policy"). `conversations` (their number, or they themselves) is how many the judge was shown:
    "across N" may not say more. Pure; linear in the texts. For many quotes of one conversation use `Checker`.
    """
    return Checker(turns, sources=sources).verify(quote, turn=turn, role=role, conversations=conversations)


def missing_turns(cited: Sequence[int], turns: Sequence[Any]) -> list[int]:
    """Return the cited turn numbers (from 0) that the conversation does not have."""
    return [number for number in cited if not 0 <= number < len(turns)]


_Look = Callable[[Speech, ParsedQuote], Evidence | None]


class Checker:
    """One conversation, folded once, for as many quotes as there are."""

    def __init__(self, turns: Sequence[Mapping[str, Any]], *, sources: Mapping[str, str] | Sequence[Any] = ()) -> None:
        self._turns = turns
        self._sources = sources

    def verify(
        self,
        quote: str,
        *,
        turn: int | None = None,
        role: str | None = None,
        conversations: int | Sized | None = None,
    ) -> Evidence:
        """See `verify`."""
        if len(quote) <= MAX_QUOTE_CHARS:
            claims: list[ParsedQuote] = []
            for claim in _claims(quote, turn, role):  # one at a time: the first or second is nearly always verbatim
                match = self._verbatim(self._speech, claim)
                if match is not None:
                    return match
                claims.append(claim)
            match = self._in_transcript(claims) or self._in_sources(claims)
            if match is not None:
                return match
        count = len(conversations) if isinstance(conversations, Sized) else conversations
        kind = EvidenceKind.PATTERN if is_pattern(quote, conversations=count) else EvidenceKind.UNVERIFIED
        return Evidence(kind=kind, quote=quote)

    def _in_transcript(self, claims: list[ParsedQuote]) -> Evidence | None:
        """Look among the spoken words first, then among the names and arguments of tool calls. The caller has already
        looked for the exact spoken words, without success."""
        return self._first(claims, self._speech, (self._other_case, self._with_gaps)) or self._first(
            claims, self._calls, (self._verbatim, self._other_case, self._with_gaps)
        )

    @staticmethod
    def _first(claims: list[ParsedQuote], speech: Speech, looks: Sequence[_Look]) -> Evidence | None:
        return next((match for look in looks for claim in claims if (match := look(speech, claim)) is not None), None)

    def _verbatim(self, speech: Speech, claim: ParsedQuote) -> Evidence | None:
        return self._place(speech, claim, speech.text, claim.words, None)

    def _other_case(self, speech: Speech, claim: ParsedQuote) -> Evidence | None:
        return self._place(speech, claim, speech.lower, lowered(claim.words), Repair.CASE)

    def _place(
        self, speech: Speech, claim: ParsedQuote, hay: str, needle: str, repair: Repair | None
    ) -> Evidence | None:
        if claim.turn is not None:  # nearly always right, and a turn is quicker to search than a conversation
            for begin, end in speech.spans(claim.turn):
                start = next(whole_words(hay, needle, begin, end), None)
                if start is not None and self._may_say(claim.turn, claim.role):
                    return self._exact(speech, claim.turn, (start, start + len(needle)), claim, repair)
        places = [
            (number, start)
            for start in whole_words(hay, needle)
            if self._may_say(number := speech.turn_at(start), claim.role)
        ]
        if not places:
            return None
        number, start = self._nearest(places, claim.turn)
        return self._exact(speech, number, (start, start + len(needle)), claim, repair)

    def _with_gaps(self, speech: Speech, claim: ParsedQuote) -> Evidence | None:
        """Parts of one turn in their order, joined by an ellipsis; an ellipsis at either end drops nothing."""
        words = lowered(claim.words)
        parts = [part for part in _ELLIPSIS.split(words) if part] if "..." in words else []
        if not parts or any(sum(char.isalnum() for char in part) < _MIN_PART_CHARS for part in parts):
            return None
        spans: dict[int, tuple[int, int]] = {}
        for start, end, number in speech.pieces:
            span = in_order(speech.lower, parts, start, end) if self._may_say(number, claim.role) else None
            if span is not None:
                spans.setdefault(number, span)
        if not spans:
            return None
        number, _ = self._nearest([(number, span[0]) for number, span in spans.items()], claim.turn)
        return self._exact(speech, number, spans[number], claim, Repair.ELLIPSIS)

    def _exact(
        self, speech: Speech, number: int, span: tuple[int, int], claim: ParsedQuote, repair: Repair | None
    ) -> Evidence:
        if repair is None and claim.turn is not None and claim.turn != number:
            repair = Repair.TURN
        return Evidence(
            kind=EvidenceKind.EXACT, quote=speech.own_words(*span), turn=number, repair=repair, source=TRANSCRIPT
        )

    def _in_sources(self, claims: list[ParsedQuote]) -> Evidence | None:
        """Words of a policy or profile. A claim that somebody said them is not met by their standing there."""
        for name, raw, folded, small in self._texts:
            for claim in claims:
                if claim.role is not None:
                    continue
                start, repair = next(whole_words(folded, claim.words), None), None
                if start is None:
                    start, repair = next(whole_words(small, lowered(claim.words)), None), Repair.CASE
                elif claim.turn is not None:
                    repair = Repair.TURN
                if start is not None:
                    words = own_words(raw, start, start + len(claim.words))
                    return Evidence(kind=EvidenceKind.EXACT, quote=words, repair=repair, source=name)
        return None

    def _may_say(self, number: int, role: str | None) -> bool:
        return role is None or self._turns[number].get("role") == role

    @staticmethod
    def _nearest(places: list[tuple[int, int]], turn: int | None) -> tuple[int, int]:
        return places[0] if turn is None else min(places, key=lambda place: abs(place[0] - turn))

    @cached_property
    def _speech(self) -> Speech:
        return Speech([(number, words) for number, turn in enumerate(self._turns) for words in _messages(turn)])

    @cached_property
    def _calls(self) -> Speech:
        return Speech([(number, words) for number, turn in enumerate(self._turns) for words in _called(turn)])

    @cached_property
    def _texts(self) -> list[tuple[str, str, str, str]]:
        named = [(name, text, fold(text)) for name, text in _named(self._sources)]
        return [(name, text, folded, lowered(folded)) for name, text, folded in named]


def _claims(quote: str, turn: int | None, role: str | None) -> Iterator[ParsedQuote]:
    """The ways to read a quote that can be sought, folded; what the judge claims beside the quote comes before its
    labels."""
    for reading in readings(quote):
        if role is None or reading.role in (None, role):
            words = fold(reading.words)
            if has_content(words):
                claim = ParsedQuote(words, reading.turn if turn is None else turn, role or reading.role)
                yield claim
                if words.endswith(","):  # the quoting sentence's, as English sets it inside the marks
                    yield replace(claim, words=words.rstrip(", "))


def _messages(turn: Mapping[str, Any]) -> Iterator[str]:
    content = turn.get("content")
    if isinstance(content, str) and content:
        yield content


def _called(turn: Mapping[str, Any]) -> Iterator[str]:
    for call in turn.get("tool_calls") or ():
        arguments = call.get("arguments") or {}
        yield f"{call.get('name', '')} {json.dumps(arguments, ensure_ascii=False, default=str)}"
        if isinstance(arguments, Mapping):
            yield from (value for value in arguments.values() if isinstance(value, str) and value)


def _named(sources: Mapping[str, str] | Sequence[Any]) -> Iterator[tuple[str, str]]:
    if isinstance(sources, Mapping):
        yield from sources.items()
        return
    for item in (sources,) if isinstance(sources, str) else sources:
        if isinstance(item, str):
            yield POLICY, item
        elif isinstance(item, Mapping):
            yield str(item.get("name") or POLICY), str(item.get("text") or item.get("content") or "")
        else:
            name, text = item
            yield str(name), str(text)
