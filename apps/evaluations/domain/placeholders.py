"""Replies that repeat the answer form instead of filling it in, as small models do (docs/adr/0016)."""

import re
from collections.abc import Sequence

from apps.evaluations.domain.quote_parsing import readings

_FORM_REASONS = frozenset({"reason", "string", "text", "motivazione", "sababu"})
# What the prompts show in the place of a quote or a pattern, in their three languages (judge_texts.py).
_FORM_QUOTES = frozenset({
    "exact words", "the exact words", "exact quote",
    "parole esatte", "le parole esatte", "citazione esatta",
    "maneno yenyewe", "nukuu halisi",
})  # fmt: skip
_FORM_PATTERN = re.compile(r"observed across n conversations: \[?(?:description|descrizione|maelezo)\]?", re.IGNORECASE)
_BRACKETED = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_DOTS = re.compile(r"[.…\s]+")


def is_form(reason: str, evidence: Sequence[str]) -> bool:
    """Whether an entry still holds the form's own words: a reason of dots or `<reason>`, `"exact words"` as a quote.

    An empty reason is none: a bare number is an answer. So is a reason of signs alone: "👍" or "-" is what it says.
    """
    return _is_form_reason(reason.strip()) or any(map(_is_form_quote, evidence))


def _is_form_reason(reason: str) -> bool:
    if not reason:
        return False
    if _DOTS.fullmatch(reason) or reason.lower().strip(" .") in _FORM_REASONS:
        return True
    bracketed = _BRACKETED.fullmatch(reason)
    return bracketed is not None and not _FORM_REASONS.isdisjoint(re.findall(r"\w+", reason.lower()))


def _is_form_quote(quote: str) -> bool:
    small = quote.lower()
    if not any(words in small for words in _FORM_QUOTES):
        return _FORM_PATTERN.search(quote) is not None
    return any(reading.words.lower().strip(" .…\"'") in _FORM_QUOTES for reading in readings(quote))
