"""Figures that are not a person's: amounts of money in any currency, dates, clock times, spans of years.

The masking floor keeps them verbatim (docs/adr/0015), because people need them to find a payment. Written for text in
which dashes are already `-`. Time grows with the length of the text.
"""

import re
from collections.abc import Iterator

from apps.core.currency_words import AFTER_ONLY, NOUNS, PRICES

# Codes of ISO 4217, list one, without funds, metals and test codes.
_ISO_4217 = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
    COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR
    ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK
    MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF
    SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU
    UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
# In small letters these are words of a sentence ("call all 2507123").
_WORDS_TOO = "ALL AMD BAM BOB CAD COP CUP GEL LAK MAD MOP NAD PEN RON SAR SOS TOP TRY"
_LOCAL = "ksh kshs ush ushs tsh tshs sh shs fcfa cfa rs rp rm fr ft kr zł kč"
_LOCAL_WORDS = frozenset(_LOCAL.split())
_SPOKEN_AFTER = _LOCAL_WORDS | NOUNS | AFTER_ONLY
_SPOKEN_BEFORE = NOUNS | PRICES
_CODES = frozenset(_ISO_4217.split())
_MAX_NOUN = max(map(len, NOUNS | PRICES))
_CURRENCY_CODES = _CODES | frozenset(code.lower() for code in _CODES.difference(_WORDS_TOO.split()))

# One figure. It never starts with 0 and a digit, nor is it 254 and nine digits: that is a phone, whatever stands
# before it. Thousands stand in groups (of two digits as well, as in India); by blanks no more than nine digits, or what
# ends in 000, because 712 345 678 123 is no amount; without groups nine digits, twelve where they end in 000.
_FIGURE = re.compile(
    r"(?<![\d.,+])(?!0\d|254[ .-]?\d{3}[ .-]?\d{3}[ .-]?\d{3}(?!\d))"
    r"(?:\d{1,3}(?:,\d{2,3}){1,5}(?:\.\d{1,4})?|\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,2})?(?![.\d])"
    r"|\d{1,3}(?:['’]\d{3}){1,5}(?:\.\d{1,2})?|(?<!\d[ .-])\d{1,3}(?: \d{3}){1,3} 000(?:[.,]\d{1,2})?(?! ?\d)"
    r"|(?<!\d[ .-])\d{1,3}(?: \d{3}){1,2}(?:[.,]\d{1,2})?(?! ?\d)|\d{1,9}(?:[.,]\d{1,4})?|\d{7,9}000)(?![\d,]*\d)"
    r"(?:\s?(?:[KkMm]|mn|bn|thousand|million|billion|lakhs?|crores?)\b)?"
)
_SIGNS = "$¢-¥֏؋৲৳฿៛₠-⃏"
_CURRENCY_BEFORE = re.compile(rf"(?:(?<![^\W\d_])([^\W\d_]{{1,4}})\)?|[A-Z]{{0,3}}[{_SIGNS}])[.:=]{{0,2}}\s?-?$")
# "Kenyan" may stand between a number and its shillings.
_CURRENCY_AFTER = re.compile(
    rf"\s?(?:/[=-]|(?:[A-Z][a-z]{{2,15}} (?=[a-z]))?([^\W\d_]{{2,{_MAX_NOUN}}})(?![^\W_])|[{_SIGNS}])"
)
# "shilingi 150000", "bei ni 150000", "price: 150000"; M-Pesa is no price, but where a phone is paid to.
_WORD_BEFORE = re.compile(rf"(?<![\w-])([^\W\d_]{{3,{_MAX_NOUN}}})(?:\s?[:=]|\s(?:ni|ya|is|was|are|of|è|di|era))?\s?$")
_TO = re.compile(r"\s?(?:-|to|and|or)\s?")
_MAX_CURRENCY = 12  # characters that are looked at before a figure
_MAX_PHRASE = _MAX_NOUN + 8


def find_amounts(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each amount: a figure with its currency before or after it, and the range it is part of."""
    last = 0
    for match in _FIGURE.finditer(text):
        start, end = match.span()
        if start < last:
            continue
        before = _currency_before(text, start, last)
        if before is None and _sounds_like_money(match.group()):
            before = _word_before(text, start, last)
            to = _TO.match(text, end) if before is not None else None
            if before is not None and to and not _sounds_like_money(text[to.end() : _range_end(text, end)]):
                yield before, end
                last = end
                continue
        if before is not None:
            end = _slash_after(text, _range_end(text, end) or end)
            last = end
            yield before, end
            continue
        after = _currency_after(text, start, end)
        if after is None and (upper := _range_end(text, end)) is not None:
            after = _currency_after(text, start, upper)
        if after is not None:
            last = after
            yield start, after


def _currency_before(text: str, start: int, floor: int) -> int | None:
    window_start = max(floor, start - _MAX_CURRENCY)
    match = _CURRENCY_BEFORE.search(text[window_start:start])
    if match is None:
        return None
    word = match[1]
    # A lone R is the rand only where a blank or groups of thousands say so: R150000 may be a reference.
    rand = word == "R" and (text[start - 1] == " " or text[start : start + 4].find(",") > 0)
    if word is None or rand or word in _CURRENCY_CODES or word.lower() in _LOCAL_WORDS:
        return window_start + match.start()
    return None


def _word_before(text: str, start: int, floor: int) -> int | None:
    """Return the start of the word for money that precedes the figure; None without one.

    Such a word proves less than a code does, which people write beside amounts only: see _sounds_like_money.
    """
    window_start = max(floor, start - _MAX_PHRASE)
    match = _WORD_BEFORE.search(text[window_start:start])
    if match is None or match[1].lower() not in _SPOKEN_BEFORE:
        return None
    return window_start + match.start()


def _sounds_like_money(figure: str) -> bool:
    """Tell whether a figure is written as amounts are and as phones and identity cards are not.

    An amount has signs between its thousands, or up to six digits, or more that are round.
    """
    digits = "".join(char for char in figure if char.isdigit())
    if digits.startswith("254") or (len(digits) == 9 and digits[0] in "17"):
        return False
    if _THOUSANDS.search(figure) is not None:
        return True
    return len(digits) <= 6 or (len(digits) <= 9 and digits.endswith("000"))


def _currency_after(text: str, start: int, end: int) -> int | None:
    match = _CURRENCY_AFTER.match(text, end)
    if match is None:
        return None
    word = match[1]
    if word is not None and word not in _CURRENCY_CODES and word.lower() not in _SPOKEN_AFTER:
        return None
    # 0712 345678 KES 500: the currency is the next figure's.
    if _DIGIT_BEFORE.search(text[max(0, start - 2) : start]) and _DIGIT_AFTER.match(text, match.end()):
        return None
    return match.end()


def _range_end(text: str, end: int) -> int | None:
    """Return the end of the range's second figure, such as `-200000` of `100000-200000`; None without one."""
    between = _TO.match(text, end)
    upper = _FIGURE.match(text, between.end()) if between else None
    return upper.end() if upper else None


def _slash_after(text: str, end: int) -> int:
    return end + 2 if text[end : end + 2] in {"/=", "/-"} else end


_THOUSANDS = re.compile(r"\d[,.'’]\d")
_DIGIT_BEFORE = re.compile(r"\d[ .-]$")
_DIGIT_AFTER = re.compile(r"\s?\d")

_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?"
_CLOCKS = rf"{_CLOCK}(?:\s?-\s?{_CLOCK})?"
_ALONE = r"(?<![\d/.:-])", r"(?![\d/:]|[.-]\d)"


def _dates(sign: str) -> tuple[str, ...]:
    """Dates in numbers with one sign between them. Two figures for the year only where no other figure is beside it."""
    short = (
        rf"(?<!\d ){_ALONE[0]}(?:{_DAY}{sign}{_MONTH}|{_MONTH}{sign}{_DAY}){sign}\d\d(?: {_CLOCKS})?(?! ?\d){_ALONE[1]}"
    )
    return (
        rf"{_ALONE[0]}{_YEAR}{sign}{_MONTH}{sign}{_DAY}(?: {_CLOCKS})?{_ALONE[1]}",
        rf"{_ALONE[0]}(?:{_DAY}{sign}{_MONTH}|{_MONTH}{sign}{_DAY}){sign}{_YEAR}(?: {_CLOCKS})?{_ALONE[1]}",
        short,
    )


SPANS = (
    rf"(?<!\d){_YEAR}-\d\d-\d\d(?:[T ]{_CLOCK})?(?!\d)",
    *_dates("/"),
    *_dates("-"),
    *_dates("[.]"),
    rf"(?<![\d:.-])(?<!\d ){_CLOCKS}(?![\d:]|[.-]\d{{3}})",
    r"(?<![\d.,])\d{1,7}[.,]\d\d - \d{1,7}[.,]\d\d(?![.\d])",  # a difference of two amounts
    rf"(?<![\d./-]){_YEAR}\s?[-/]\s?{_YEAR}(?![\d]|[./-]\d)",
)
