"""Sixteen phrases by which an answer shows that it was not looked up (brief 004).

The seed names the first three and their number; the other thirteen are ours, of the same kind: words that offer several
meanings where a glossary has one. Whole words, any case, any white space or typographic sign between them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PHRASES = (
    "could refer to",
    "depending on context",
    "multiple meanings",
    "depending on the context",
    "may refer to",
    "might refer to",
    "can refer to",
    "several meanings",
    "different meanings",
    "various meanings",
    "more than one meaning",
    "could mean",
    "might mean",
    "can mean different things",
    "without more context",
    "if you can provide more context",
)
_HEDGES = re.compile(
    "|".join(r"\b" + r"\s+".join(phrase.split()) + r"\b" for phrase in sorted(PHRASES, key=len, reverse=True)),
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hedge:
    """Hedge of the agent: the turn's number from 0, and its words."""

    turn: int
    words: str


def find_hedging(turns: Sequence[Mapping[str, Any]]) -> list[Hedge]:
    """Every hedging phrase in the agent's words, in order. Pure; linear in the text."""
    return [
        Hedge(number, match.group())
        for number, turn in enumerate(turns)
        if turn.get("role") == "assistant"
        for match in _HEDGES.finditer(str(turn.get("content") or ""))
    ]
