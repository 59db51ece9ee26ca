"""Senses, from a golden session, what each reply must show before the next turn may be sent (docs/adr/0017).

A gate is a regular expression over words that will be there again: headings, choice prompts and telling phrases; never
figures, dates or names, which change from run to run. Any one of its cues opens it. It is *unique* when it opens for no
other reply of the session, *weak* when it does for an earlier or a later one, *none* when the reply has nothing to hold
on to.
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
from apps.runs.domain.gate_cues import Cue, cues, varying_words

SLOW_REPLY_S = 30.0  # a reply that took longer gets a timeout of its own: twice the time and ten seconds
TIMEOUT_FACTOR, TIMEOUT_MARGIN_S = 2.0, 10.0
MAX_TIMEOUT_S = 3600.0  # of a golden file too
MAX_CUES = 3
_MAX_PAIRED = 8


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


def sense(turns: Sequence[Mapping[str, Any]]) -> list[Gate]:
    """One gate per assistant turn of a conversation document, in order.

    Every pattern compiles in `re`, matches its own reply and has no nested repeats. Pure; about 20 ms for a
    session of 30 turns.
    """
    places = [number for number, turn in enumerate(turns) if _is_reply(turn)]
    return _sensed(turns, places, varying_words(turns))


def sense_last(turns: Sequence[Mapping[str, Any]], varying: frozenset[str]) -> Gate:
    """The last of the gates that `sense` finds, `varying` being the words that belong to this one run. Raises
    IndexError where the agent said nothing."""
    return _sensed(turns, [number for number, turn in enumerate(turns) if _is_reply(turn)][-1:], varying)[0]


def _sensed(turns: Sequence[Mapping[str, Any]], wanted: Sequence[int], varying: frozenset[str]) -> list[Gate]:
    texts = {number: str(turn.get("content") or "") for number, turn in enumerate(turns) if _is_reply(turn)}
    gates: list[Gate] = []
    for number in wanted:
        others = [text for other, text in texts.items() if other != number and text.strip()]
        pattern, strength = _pattern(texts[number], others, varying)
        gates.append(Gate(position=number, pattern=pattern, strength=strength, timeout_s=_timeout(turns, number)))
    return gates


def _is_reply(turn: Mapping[str, Any]) -> bool:
    return turn.get("role") == "assistant"


def _pattern(text: str, others: Sequence[str], varying: frozenset[str]) -> tuple[str | None, Strength]:
    matching = [cue for cue in cues(text, varying) if re.search(f"(?i){cue.pattern}", text)]
    unique = _apart([cue for cue in matching if not _opens(cue.pattern, others)])
    if unique:
        return f"(?i){_any_of(unique)}", Strength.UNIQUE
    for first, second in combinations(_apart(matching)[:_MAX_PAIRED], 2):
        both = rf"(?s)\A(?=.*?{first.pattern})(?=.*?{second.pattern})"
        if not _opens(both[4:], others, flags="(?is)"):
            return f"(?is){both[4:]}", Strength.UNIQUE
    if matching:
        return f"(?i){matching[0].pattern}", Strength.WEAK
    return None, Strength.NONE


def _apart(candidates: Iterable[Cue]) -> list[Cue]:
    """The best cues that share no word: what rewords one of them should leave another standing."""
    distinct: list[Cue] = []
    used_words: set[str] = set()
    for cue in candidates:
        if not used_words & cue.words:
            distinct.append(cue)
            used_words |= cue.words
    return distinct


def _any_of(candidates: Sequence[Cue]) -> str:
    best = [cue.pattern for cue in candidates[:MAX_CUES]]
    return best[0] if len(best) == 1 else f"(?:{'|'.join(best)})"


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
