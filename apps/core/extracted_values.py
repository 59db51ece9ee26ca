"""Money, dates, clock times, phones, ids and numbers of a text, comparable however they are written.

`KES 1,500`, `1500/=` and `Ksh 1.5k` are one value; so are `2026-05-03` and `3 May 2026`, `14:30` and `2:30 pm`. What
rules cannot read for certain (spoken and relative times, numbers in words) is left to a judge or a person. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import islice


class ValueKind(StrEnum):
    MONEY = "money"
    DATE = "date"
    TIME = "time"
    PHONE = "phone"
    IDENTIFIER = "id"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value that occurs in a text.

    `key` is the same for every way of writing the value; `text` is its spelling there. A date without a year and an
    amount without a currency have a shorter key, which `same` knows.
    """

    kind: ValueKind
    key: str
    text: str


_MONTHS = {
    month: number
    for number, names in enumerate(
        (
            "january jan januari gennaio",
            "february feb februari febbraio",
            "march mar machi marzo",
            "april apr aprili aprile",
            "may mei maggio",
            "june jun juni giugno",
            "july jul julai luglio",
            "august aug agosti agosto",
            "september sep sept septemba settembre",
            "october oct oktoba ottobre",
            "november nov novemba novembre",
            "december dec desemba dicembre",
        ),
        start=1,
    )
    for month in names.split()
}
_CURRENCIES = {
    "kes": "KES",
    "ksh": "KES",
    "kshs": "KES",
    "kes.": "KES",
    "ksh.": "KES",
    "sh": "KES",
    "shs": "KES",
    "bob": "KES",
    "shilling": "KES",
    "shillings": "KES",
    "shilingi": "KES",
    "/=": "KES",
    "/-": "KES",
    "$": "USD",
    "usd": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "£": "GBP",
    "gbp": "GBP",
    "tzs": "TZS",
    "ugx": "UGX",
}
_NAMED = r"(?<![A-Za-z])(?:kshs?|kes|tzs|ugx|usd|eur|gbp|shs?)\.?(?=\s?[-−]?\s?\d)|[$€£]"
_UNIT = r"(?:/[=-]|[€£$]|(?:kshs?|kes|bob|shillings?|shilingi|euros?|eur|usd|dollars?|tzs|ugx|gbp)\b)"
_AMOUNT = r"\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?"
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
# The order matters: what an earlier one has read, a later one does not see.
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th|º)?"
_YEAR = r"(?:,?\s+(?P<y>\d{4})\b)?"
_HALF = r"(?P<half>[ap])(?:\.m\.|m\b)"
_HOUR = r"(?<![\d.])(?P<h>[01]?\d|2[0-3])"
_MINUTE = r"(?P<min>[0-5]\d)"


def _reader(kind: ValueKind, pattern: str) -> tuple[ValueKind, re.Pattern[str]]:
    return kind, re.compile(pattern, re.IGNORECASE)


# The order matters: what an earlier one has read, a later one does not see.
_READERS: Sequence[tuple[ValueKind, re.Pattern[str]]] = (
    _reader(ValueKind.DATE, r"\b(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?=T?\b|T\d)"),
    _reader(ValueKind.DATE, rf"\b{_DAY}(?: of)?\s+(?P<month>{_MONTH})\b\.?{_YEAR}"),
    _reader(ValueKind.DATE, rf"\b(?P<month>{_MONTH})\.?\s+{_DAY}\b(?!:){_YEAR}"),
    _reader(ValueKind.DATE, r"(?<![\w.])(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>(?:19|20)\d\d)(?!\w|\.\d)"),
    # a version, or an address of a network: dotted, and no thousands
    _reader(
        ValueKind.NUMBER, r"(?<![\w.,])(?!\d{1,3}(?:\.\d{3})+(?![.\d]))(?P<dots>\d{1,4}(?:\.\d{1,4}){2,4})(?!\w|\.\d)"
    ),
    _reader(ValueKind.PHONE, r"\+\d{1,3} ?\d?\*{2} ?\*{3} ?(?P<last>\d{3})\b"),  # as the masking floor leaves it
    _reader(ValueKind.PHONE, r"(?<![\w.])(?:\+|00)?\d(?:[ -]?\d){8,13}(?![\w])"),
    _reader(ValueKind.MONEY, rf"(?P<before>{_NAMED})\s?(?P<sign>[-−]\s?)?(?P<n>{_AMOUNT})(?P<times>[km]\b)?"),
    _reader(ValueKind.MONEY, rf"(?<![\w.])(?P<n>{_AMOUNT})(?P<times>[km]\b)?\s?(?P<after>{_UNIT})"),
    _reader(ValueKind.TIME, rf"{_HOUR}:{_MINUTE}(?::[0-5]\d)?(?:Z\b|\b)(?:\s?{_HALF})?(?!\d|\.\d)"),
    _reader(ValueKind.TIME, rf"{_HOUR}[.h]{_MINUTE}\s?{_HALF}"),
    _reader(ValueKind.TIME, rf"\b(?P<h>1[0-2]|[1-9])\s?{_HALF}"),
    _reader(ValueKind.IDENTIFIER, r"\b[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b"),
    _reader(ValueKind.NUMBER, rf"(?<![\w.])(?P<n>{_AMOUNT})(?![\w])"),
)
# A Swahili clock counts from six, and people mix both ways of counting: what `saa` says is not read here.
SPOKEN_TIME = re.compile(r"\bsaa\s+\d{1,2}(?:[:.]\d{2})?\b", re.IGNORECASE)
_LIST_MARK = re.compile(r"^[ \t]{0,12}(?:\d{1,2}[.)]|[-*•])[ \t]", re.MULTILINE)
_SPACES = re.compile("[\u00a0\u2007\u2009\u202f]")
MAX_CHARS = 20_000  # a reply that people read; a machine's megabyte is compared by its beginning
MAX_VALUES = 300
_SENTENCE = re.compile(r"[^\n!?]+?(?:[.!?](?=\s|\Z)|[!?\n]|\Z)")
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)\Z", re.IGNORECASE)


def values(text: str) -> tuple[Value, ...]:
    """The values of the text's first MAX_CHARS characters, MAX_VALUES at most, in the order of reading."""
    return tuple(value for _, value in _placed(text))


def sentences(text: str) -> list[tuple[str, tuple[Value, ...]]]:
    """Return (masked sentence, its values) for each sentence of the text that has values."""
    pairs = []
    placed = _placed(text)
    for match in _SENTENCE.finditer(_SPACES.sub(" ", text[:MAX_CHARS])):
        start, end = match.span()
        own = [(at, value) for at, value in placed if start <= at < end]
        pieces, last = [], start
        for at, value in own:
            pieces += [match.string[last:at], f"<{value.kind.value}>"]
            last = at + len(value.text)
        frame = " ".join("".join([*pieces, match.string[last:end]]).casefold().split())
        pairs += [(frame, tuple(value for _, value in own))] if own else []
    return pairs


def _placed(text: str) -> list[tuple[int, Value]]:
    """(where it begins, value), in order."""
    left = _SPACES.sub(" ", text[:MAX_CHARS])
    for silent in (_LIST_MARK, SPOKEN_TIME):
        left = silent.sub(lambda match: " " * len(match.group()), left)
    values_placed: list[tuple[int, Value]] = []
    for kind, pattern in _READERS:
        spans = []
        for match in islice(pattern.finditer(left), MAX_VALUES):
            key = _key(kind, match)
            if key is not None:
                lead = len(match.group()) - len(match.group().lstrip())
                values_placed.append((match.start() + lead, Value(kind=kind, key=key, text=match.group().strip())))
                spans.append(match.span())
        left = _without(left, spans)
    return sorted(values_placed, key=lambda item: item[0])[:MAX_VALUES]


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with blanks where something was read."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def same(value: Value, other: Value) -> bool:
    """Tell whether both say the same: a date with no year fits any year, an amount with no currency any currency."""
    if {value.kind, other.kind} == {ValueKind.MONEY, ValueKind.NUMBER}:
        return value.key.rpartition(" ")[2] == other.key.rpartition(" ")[2]
    if value.kind is not other.kind:
        return False
    if value.kind is ValueKind.PHONE and "*" in (
        value.key[0],
        other.key[0],
    ):  # masked: three digits are left to compare
        return value.key[-3:] == other.key[-3:]
    if value.kind is ValueKind.DATE and "-" in (value.key[0], other.key[0]):
        return value.key[-5:] == other.key[-5:]
    return value.key == other.key


def not_in(wanted: Sequence[Value], there: Sequence[Value]) -> Iterator[Value]:
    """The values of `wanted` that are said nowhere in `there`."""
    return (value for value in wanted if not any(same(value, other) for other in there))


def _key(kind: ValueKind, match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    match kind:
        case ValueKind.DATE:
            month = int(parts["m"]) if parts.get("m") else _MONTHS[parts["month"].lower()]
            day = int(parts["d"])
            if not (1 <= month <= 12 and 1 <= day <= 31):
                return None
            return f"{parts['y'] or '-'}-{month:02d}-{day:02d}"
        case ValueKind.TIME:
            return _time(int(parts["h"]), int(parts.get("min") or 0), (parts.get("half") or "").lower())
        case ValueKind.PHONE:
            if parts.get("last"):
                return f"*{parts['last']}"
            return re.sub(r"\D", "", match.group())[-9:]
        case ValueKind.MONEY:
            currency = _CURRENCIES.get((parts.get("before") or parts.get("after") or "").lower(), "")
            minus = "-" if parts.get("sign") else ""
            return f"{currency} {minus}{_number(parts['n'], parts['times'])}"
        case ValueKind.IDENTIFIER:
            text = match.group()
            mixed = any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)
            return text.upper() if mixed and not _ORDINAL.match(text) else None
        case _:
            return parts["dots"] if parts.get("dots") else _number(parts["n"], None)


def _time(hour: int, minute: int, half: str) -> str | None:
    if half and not 1 <= hour <= 12:
        return None
    return f"{hour % 12 + (12 if half == 'p' else 0) if half else hour:02d}:{minute:02d}"


def _number(text: str, times: str | None) -> str:
    plain = re.sub(r"[' ]", "", text)
    mark = max(plain.rfind(","), plain.rfind("."))
    digits = re.sub("[.,]", "", plain)
    decimals = len(plain) - mark - 1 if mark >= 0 else 0
    if decimals and (decimals != 3 or ("," in plain and "." in plain)):  # three digits behind one mark are thousands
        digits = f"{digits[:-decimals]}.{digits[-decimals:]}"
    factor = {"k": 1_000, "m": 1_000_000}.get((times or "").lower(), 1)
    return format((Decimal(digits) * factor).normalize(), "f")
