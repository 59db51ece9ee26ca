"""Words of an answer form that come back as an answer, as small models give them (docs/adr/0016, 0200)."""

import re

from apps.evaluations.domain.quote_parsing import readings

_FORM_REASONS = frozenset({"reason", "string", "text", "motivazione", "sababu"})
# What forms show in the place of a quote, in the three languages of our questions.
_FORM_QUOTES = frozenset(
    {
        "exact words",
        "the exact words",
        "exact quote",
        "parole esatte",
        "le parole esatte",
        "citazione esatta",
        "maneno yenyewe",
        "nukuu halisi",
    }
)
_FORM_PATTERN = re.compile(
    r"observed across n conversations[^\w]*(?:\[?(?:description|descrizione|maelezo)\b|$)", re.IGNORECASE
)
_BRACKETED = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_BRACKETED_WHOLE = re.compile(r"<[^<>]*>")
_DOTS = re.compile(r"[.…\s]+")


def is_form_reason(reason: str) -> bool:
    """Tell whether a reason is the form's own: dots, `<reason>`, `text`.

    An empty reason is none: a bare number is an answer. So is a reason of signs alone: "👍" or "-" is what it says.
    """
    reason = reason.strip()
    if not reason:
        return False
    if _DOTS.fullmatch(reason) or reason.lower().strip(" .") in _FORM_REASONS:
        return True
    bracketed = _BRACKETED.fullmatch(reason)
    return bracketed is not None and not _FORM_REASONS.isdisjoint(re.findall(r"\w+", reason.lower()))


def is_form_quote(quote: str) -> bool:
    """Tell whether a quote is the form's own, so that nothing is quoted.

    `<text>`, `[3] "exact words"`, or the name of a pattern without what was observed.
    """
    if _BRACKETED_WHOLE.fullmatch(quote.strip()):
        return True
    small = quote.lower()
    if not any(words in small for words in _FORM_QUOTES):
        return _FORM_PATTERN.search(quote) is not None
    return any(reading.words.lower().strip(" .…\"'") in _FORM_QUOTES for reading in readings(quote))
