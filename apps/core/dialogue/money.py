"""Amounts of money in a message: with a currency, or a bare number beside a word for price."""

import re

_CURRENCY = re.compile(
    r"(?:\b(?:kes|kshs?|ksh|usd|eur|tzs|ugx|sh(?:illings?)?|shilingi|bob|euro|dollars?)\b\.?|[€$£])\s?\d"
    r"|\d\s?(?:/[=-]|kes\b|kshs?\b|bob\b|shillings?\b|shilingi\b|sh\b|euro\b|dollars?\b|[€$£]|k\b)"
    r"|\b(?:shilingi|sh|bob|ksh|kes)\s+(?:elfu|mia|one|two|three|four|five|six|seven|eight|nine|a)\b"
    r"|\b(?:elfu|mia)\s+(?:moja|mbili|tatu|nne|tano|sita|saba|nane|tisa|kumi)\b|\b(?:thousand|hundred)\b",
    re.I,
)
_NUMBER = re.compile(r"(?<![\d:./+-])\d{1,3}(?:[,.]?\d{3})+\b(?![:/-])|(?<![\d:./+-])\d{3,6}\b(?![:/-])")


def has_currency(text: str) -> bool:
    """An amount together with its currency ("KES 1,500", "1500 bob", "shilingi elfu moja")."""
    return _CURRENCY.search(text) is not None


def has_amount(text: str) -> bool:
    """Tell whether the text has at least a number that can be a price."""
    return has_currency(text) or _NUMBER.search(text) is not None
