"""Senses, from a golden session, what each reply must show before the next turn may be sent (docs/adr/0017).

A gate is a regular expression over words that will be there again: headings, choice prompts and telling phrases; never
figures, dates or names, which change from run to run. Several ways open it: a cue that no other reply has, or some of
its telling words together. It is *unique* when it opens for no other reply of the session and stands though one word
be said otherwise, *weak* when it opens for another reply or hangs on one word, *none* when the reply has nothing to
hold on to.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import combinations
from typing import Any

from apps.core.timestamps import parse_timestamp
from apps.runs.domain.gate_cues import MIN_SINGLE, Cue, cues, has_heading, telling_words, varying_words

SLOW_REPLY_S = 30.0  # a reply that took longer gets a timeout of its own: twice the time and ten seconds
TIMEOUT_FACTOR, TIMEOUT_MARGIN_S = 2.0, 10.0
MAX_TIMEOUT_S = 3600.0  # of a golden file too
MAX_CUES = 3
MAX_WORDS = 5  # telling words of which some must stand together
WORDS_TOGETHER = (2, 3)  # two of them; three of those of which no two will do
MAX_WAYS = 10  # pairs of five; keeps a pattern below its limit of characters


class Strength(StrEnum):
    UNIQUE = "unique"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The gate behind one assistant turn. `position` is the turn's number in the document; `timeout_s` is None where
    the run's own default is enough."""

    position: int
    pattern: str | None
    strength: Strength
    timeout_s: float | None = None


SENSED = "sensed"  # `gate_from` of a turn whose gate nobody wrote


def sense(turns: Sequence[Mapping[str, Any]]) -> list[Gate]:
    """One gate per assistant turn of a conversation document, in order.

    Every pattern compiles in `re`, matches its own reply and has no nested repeats. Pure; about 20 ms for a
    session of 30 turns.
    """
    places = [number for number, turn in enumerate(turns) if _is_reply(turn)]
    return _sensed(turns, places, varying_words(turns))


def sense_last(turns: Sequence[Mapping[str, Any]], varying: frozenset[str]) -> Gate:
    """Return the gate of the last reply, as `sense` does; `varying` are words of this run alone.
    Raises IndexError where the agent said nothing."""
    return _sensed(turns, [number for number, turn in enumerate(turns) if _is_reply(turn)][-1:], varying)[0]


def _sensed(turns: Sequence[Mapping[str, Any]], wanted: Sequence[int], varying: frozenset[str]) -> list[Gate]:
    texts = {number: str(turn.get("content") or "") for number, turn in enumerate(turns) if _is_reply(turn)}
    gates: list[Gate] = []
    for number in wanted:
        others = [text for other, text in texts.items() if other != number and text.strip()]
        pattern, strength = _pattern(texts[number], others, varying)
        gates.append(
            Gate(
                position=number,
                pattern=pattern,
                strength=strength,
                timeout_s=_timeout(turns, number),
            )
        )
    return gates


def _is_reply(turn: Mapping[str, Any]) -> bool:
    return turn.get("role") == "assistant"


def _pattern(text: str, others: Sequence[str], varying: frozenset[str]) -> tuple[str | None, Strength]:
    """Join the ways to open by "or".

    They are up to three cues that no other reply has, and several of its telling words together (two of n, else three).
    Unique where no word's loss closes every way; weak where one does.
    """
    matching = [cue for cue in cues(text, varying) if re.search(f"(?i){cue.pattern}", text)]
    unique = _apart([cue for cue in matching if not _opens(cue.pattern, others)])[:MAX_CUES]
    together = _together(text, others, varying)
    ways = [*((cue,) for cue in unique), *together]
    if ways and not _bears_a_loss(ways) and not has_heading(text):
        ways += [(cue,) for cue in _words_alone(text, others, varying)]
    if ways:
        strength = Strength.UNIQUE if _bears_a_loss(ways) else Strength.WEAK
        flags = "(?is)" if together else "(?i)"
        return f"{flags}{'|'.join(dict.fromkeys(map(_way, ways)))}", strength
    if matching:
        return f"(?i){matching[0].pattern}", Strength.WEAK
    return None, Strength.NONE


def _together(text: str, others: Sequence[str], varying: frozenset[str]) -> list[tuple[Cue, ...]]:
    """Pairs and threes of the reply's telling words that no other reply has all of, none within another."""
    words = [cue for cue in telling_words(text, varying) if re.search(f"(?i){cue.pattern}", text)]
    has = {cue: frozenset(n for n, other in enumerate(others) if _opens(cue.pattern, [other])) for cue in words}
    rarest = sorted(words, key=lambda cue: len(has[cue]))[:MAX_WORDS]  # among equals the longest first
    joined: list[tuple[Cue, ...]] = []
    for count in WORDS_TOGETHER:
        for some in combinations(rarest, count):
            apart = not frozenset.intersection(*(has[one] for one in some))
            if apart and not any(set(one) <= set(some) for one in joined):
                joined.append(some)
    return joined[:MAX_WAYS]


def _words_alone(text: str, others: Sequence[str], varying: frozenset[str]) -> list[Cue]:
    """Long telling words of the reply that no other reply has, up to three."""
    words = (cue for cue in telling_words(text, varying) if len(next(iter(cue.words))) >= MIN_SINGLE)
    return [cue for cue in words if not _opens(cue.pattern, others)][:MAX_CUES]


def _bears_a_loss(ways: Sequence[Sequence[Cue]]) -> bool:
    """Tell whether a way is left whichever word is said otherwise."""
    words = [frozenset[str]().union(*(cue.words for cue in way)) for way in ways]
    return not frozenset.intersection(*words)


def _way(cues_of_way: Sequence[Cue]) -> str:
    if len(cues_of_way) == 1:
        return cues_of_way[0].pattern
    return rf"\A{''.join(f'(?=.*?{cue.pattern})' for cue in cues_of_way)}"


def _apart(candidates: Iterable[Cue]) -> list[Cue]:
    """The best cues that share no word: what rewords one of them should leave another standing."""
    distinct: list[Cue] = []
    used_words: set[str] = set()
    for cue in candidates:
        if not used_words & cue.words:
            distinct.append(cue)
            used_words |= cue.words
    return distinct


def _opens(pattern: str, texts: Iterable[str], *, flags: str = "(?i)") -> bool:
    compiled = re.compile(flags + pattern)
    return any(compiled.search(text) for text in texts)


def _timeout(turns: Sequence[Mapping[str, Any]], number: int) -> float | None:
    took = turns[number].get("latency_ms")
    if isinstance(took, bool) or not isinstance(took, (int, float)) or not math.isfinite(took):
        took = _between(turns[number - 1].get("ts"), turns[number].get("ts")) if number else None
    if took is None or took <= SLOW_REPLY_S * 1000:
        return None
    return min(MAX_TIMEOUT_S, round(TIMEOUT_FACTOR * took / 1000 + TIMEOUT_MARGIN_S, 3))


def _between(start: Any, end: Any) -> float | None:
    """Milliseconds between two times of the document, where both are there."""
    moments: list[datetime] = []
    for value in (start, end):
        if not isinstance(value, str):
            return None
        try:
            moments.append(parse_timestamp(value))
        except ValueError:
            return None
    return (moments[1] - moments[0]).total_seconds() * 1000
