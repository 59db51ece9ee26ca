"""Measure which languages the agent spoke, and how much of each: that decides on fluency metrics.

The conversation's own language field counts first. Where it is empty, or says "mixed", the agent's words are looked at:
a turn in one language counts wholly for it, a code-mixed turn is divided by the words of each. A language below `LEAST`
of the agent's words is not judged: two borrowed words are no English.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apps.core.dialogue.language import detect, weights
from apps.core.languages import NAMES, language_parts

LEAST = 0.2
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def field_languages(language: str) -> tuple[str, ...]:
    """The languages named by a language field: ("sw",) for "sw", "sw-KE" or "Swahili"; ("sw", "en") for "sw-en"; () for
    "mixed".

    A language nobody here judges comes back as it is, in lower case. An empty field is ().
    """
    parts = language_parts(language)
    named = tuple(dict.fromkeys(NAMES[part] for part in parts if part in NAMES))
    return named or parts[:1]


def shares(turns: Sequence[Mapping[str, Any]], language: str = "") -> dict[str, float]:
    """The languages of the agent's words with their shares, largest first; they add up to 1. Empty: nobody knows.

    A field that names one language is believed. One that names two bounds what is looked for. Pure.
    """
    named = field_languages(language)
    if len(named) == 1:
        return {named[0]: 1.0}
    counts = _counted(str(turn.get("content") or "") for turn in turns if turn.get("role") == "assistant")
    if named:
        counts = {name: count for name, count in counts.items() if name in named}
    total = sum(counts.values())
    if not total:
        return {name: 1 / len(named) for name in named}
    largest = {name: count / total for name, count in counts.items() if count / total >= LEAST}
    whole = sum(largest.values())
    return {name: largest[name] / whole for name in sorted(largest, key=lambda one: -largest[one])}


def _counted(texts: Iterable[str]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for text in texts:
        words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
        language = detect(words)
        if language == "mixed":
            english, swahili, _ = (sum(column) for column in zip(*map(weights, words), strict=True))
            counts["en"] = counts.get("en", 0) + len(words) * english / (english + swahili)
            counts["sw"] = counts.get("sw", 0) + len(words) * swahili / (english + swahili)
        elif language:
            counts[language] = counts.get(language, 0) + len(words)
    return counts
