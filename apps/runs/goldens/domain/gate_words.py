"""A gate as words and headings to tick: all that are ticked must occur in the reply. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.runs.domain.gate_cues import Cue, cues, telling_words, varying_words
from apps.runs.goldens.domain.gate_keeping import in_words

MAX_OFFERED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedWord:
    """A heading, a choice or a telling word of the reply; `ticked` where the gate asks for it already."""

    text: str
    pattern: str
    ticked: bool


def offered_words(turns: Sequence[Mapping[str, Any]]) -> dict[int, list[OfferedWord]]:
    """{position: what may be ticked} of each reply, headings first. Some 20 ms for 30 turns."""
    varying = varying_words(turns)
    return {
        at: _offered(str(turn.get("content") or ""), str(turn.get("wait_for_pattern") or ""), varying)
        for at, turn in enumerate(turns)
        if turn.get("role") == "assistant"
    }


def all_of(offered: Sequence[OfferedWord], chosen: Collection[str]) -> str:
    """The pattern that opens where all of the chosen words occur, in any order; "" for none."""
    return _together([word.pattern for word in offered if word.text in chosen])


def _offered(text: str, pattern: str, varying: frozenset[str]) -> list[OfferedWord]:
    by_text: dict[str, Cue] = {}
    for cue in (*cues(text, varying), *telling_words(text, varying)):
        by_text.setdefault(in_words(f"(?i){cue.pattern}").strip('"'), cue)
    labelled = dict(list(by_text.items())[:MAX_OFFERED])
    ticked = _ticked(pattern, labelled)
    return [OfferedWord(text=word, pattern=cue.pattern, ticked=word in ticked) for word, cue in labelled.items()]


def _ticked(pattern: str, labelled: Mapping[str, Cue]) -> set[str]:
    """The words of a gate that asks for all of some; none of one that opens in several ways."""
    words = {part.strip('"') for part in in_words(pattern).split('" with "')} if pattern else set()
    asked_for = {word for word in labelled if word in words}
    return (
        asked_for if _together([labelled[word].pattern for word in labelled if word in asked_for]) == pattern else set()
    )


def _together(patterns: Sequence[str]) -> str:
    return rf"(?is)\A{''.join(f'(?=.*?{pattern})' for pattern in patterns)}" if patterns else ""
