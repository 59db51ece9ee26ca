"""Answers that a model took out of the conversation it was shown, compared with what it was shown, as it was shown.

The nonce keeps out what was copied whole. This is for what is left: a model that puts the nonce before a copied answer,
and one that quotes a planted text without escaping it, so that the text ends the reason and goes on as the answer.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

# What rendering and escaping put into a text, and what quoting changes in it.
_LABEL = re.compile(r"\n\[\d+\] (?:user|assistant|system|tool)(?: [\w.-]{1,80})?: ")
_ESCAPE = re.compile(r"\\+u00([0-7][0-9a-f])", re.IGNORECASE)
_DRESS = re.compile(r"[\s\u200b\\\"'“”„‘’`]+")
_ENTRY_KEYS = frozenset({"reason", "evidence", "score"})
_QUOTE_KEYS = frozenset({"quote", "turn"})


class PromptTexts:
    """What a model was shown, for one set of criteria. Linear in its length."""

    def __init__(self, texts: Sequence[str], names: Sequence[str]) -> None:
        self._raw = _LABEL.sub("", "\n".join(texts)).lower()  # what is split over two turns is one again
        self._names = names

    @property
    def is_answer_like(self) -> bool:
        """Whether the texts hold a piece of a judge's answer: `score`, an escaped letter, or a criterion's name."""
        return "score" in self._raw or "u00" in self._raw or any(name.lower() in self._raw for name in self._names)

    def holds(self, name: str, score: float, reason: str) -> bool:
        """Whether the conversation gives this criterion this score, and the reason adds nothing to it."""
        if _bare(_LABEL.sub("", reason)) not in self._bare:
            return False
        entry = re.compile(re.escape(_bare(name)) + r":(?:\{[^{}]{0,4000}?score:)?(-?\d{1,9}(?:\.\d{1,9})?)")
        return any(float(match[1]) == score for match in entry.finditer(self._bare))

    @cached_property
    def _bare(self) -> str:
        return _bare(self._raw)


def is_exact_form(holder: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether an answer has the form that was asked for and nothing beside it: a planted text that goes on as the
    answer has to leave the rest of the true one somewhere."""
    if not holder.keys() <= {"nonce", "scores"} or not holder["scores"].keys() <= set(names):
        return False
    return all(_is_exact_entry(entry) for entry in holder["scores"].values())


def _is_exact_entry(entry: Any) -> bool:
    if not isinstance(entry, Mapping):
        return not isinstance(entry, list)
    evidence = entry.get("evidence") or []
    quotes = evidence if isinstance(evidence, list) else [evidence]
    return entry.keys() <= _ENTRY_KEYS and all(
        item.keys() <= _QUOTE_KEYS if isinstance(item, Mapping) else not isinstance(item, list) for item in quotes
    )


def _bare(text: str) -> str:
    if "\\u" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    return _DRESS.sub("", text).lower()
