"""Dates of a golden session: found in a text, named by their distance from the session's day, written on another day.

English, Swahili and Italian. A shape says how a date is written, so that it can be written so again: nothing for
2026-05-08, `long` 8 May 2026, `week` and `comma` with the weekday, `th` 8th May 2026, `of` 8th of May 2026, `us`
May 8, 2026, `usbare` May 8 2026, `usth` May 8th, 2026, `slash` 08/05/2026; `short` at its end leaves the year out
(`usthshort` May 8th), `sep` puts a comma before it; behind it `sw` or `it` where the month is in that language.

In a range (May 1st to 20th, 1-20 May) the day without a month is a date too: it shares the month of its partner, and is
written with its own where the range of another day goes over the end of a month.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

_ENGLISH = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTHS = {
    "en": _ENGLISH,
    "sw": (
        "Januari",
        "Februari",
        "Machi",
        "Aprili",
        "Mei",
        "Juni",
        "Julai",
        "Agosti",
        "Septemba",
        "Oktoba",
        "Novemba",
        "Desemba",
    ),
    "it": (
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ),
}
_DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "sw": ("Jumatatu", "Jumanne", "Jumatano", "Alhamisi", "Ijumaa", "Jumamosi", "Jumapili"),
    "it": ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
}
_WEEKS, _ORDINALS = ("", "week", "comma"), ("", "th", "of")
_SPOKEN = ("long", "week", "comma", "short", "weekshort", "commashort")
_FOREIGN = tuple(f"{one} {code}" for one in _SPOKEN for code in ("sw", "it"))
_ENGLISH_SHAPES = tuple(
    (week + ordinal + year) or "long" for week in _WEEKS for ordinal in _ORDINALS for year in ("", "sep", "short")
)
_US = tuple(f"us{week}{th}{year}" for week in _WEEKS for th in ("", "th") for year in ("", "bare", "short"))
SHAPES = frozenset({"", "slash", *_US, *_ENGLISH_SHAPES, *_FOREIGN})
_YEAR = r"(?:19|20)\d\d"
_TH = "st|nd|rd|th"


def _either_case(names: Sequence[str]) -> str:
    return "|".join(f"[{name[0].upper()}{name[0].lower()}]{name[1:]}" for name in names)


def _written(code: str) -> str:
    months = _either_case(_MONTHS[code]) if code != "en" else "|".join(_ENGLISH)
    days = _either_case(_DAYS[code]) if code != "en" else "|".join(_DAYS[code])
    ordinal = rf"(?P<th_{code}>{_TH})?(?P<of_{code}> of)?" if code == "en" else ""
    day = rf"(?:(?P<week_{code}>{days}),? )?(?<![\d:.])(?P<d_{code}>[0-3]?\d){ordinal}"
    comma = rf"(?P<c_{code}>,?)" if code == "en" else ""
    return rf"\b{day} (?P<m_{code}>{months})\b(?:{comma} (?P<y_{code}>{_YEAR})\b)?"


_DATE = re.compile(
    rf"\b(?P<iso>{_YEAR}-[01]\d-[0-3]\d)\b(?!T)"
    rf"|{_written('en')}|{_written('sw')}|{_written('it')}"
    rf"|\b(?:(?P<uw>{'|'.join(_DAYS['en'])})(?P<uwc>,?) )?(?P<us>{'|'.join(_ENGLISH)}) (?P<ud>[0-3]?\d)(?P<uth>{_TH})?"
    rf"(?![\w:])(?:(?P<uc>,?) (?P<uy>{_YEAR})\b)?"
    rf"|\b(?P<sd>[0-3]?\d)/(?P<sm>[01]?\d)/(?P<sy>{_YEAR})\b"
)
# What reads like a date and has no shape here: "8th of May", "8 Sept", "8.5.2026".
_SHORT_NAMES = (*(one[:3] for one in _ENGLISH), "Sept")
_MONTH_LIKE = "|".join(sorted({*_SHORT_NAMES, *(name for names in _MONTHS.values() for name in names)}, key=len)[::-1])
_DATE_LIKE = re.compile(
    rf"\b[0-3]?\d(?:st|nd|rd|th|°|º)?(?: of)? (?:{_MONTH_LIKE})\b\.?(?: {_YEAR}\b)?"
    rf"|\b(?:{_MONTH_LIKE})\.? [0-3]?\d(?:st|nd|rd|th)?\b(?!:)|\b[0-3]?\d\.[01]?\d\.{_YEAR}\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenDate:
    """A date in a text: how it is written, and where. `has_year` is False where the year had to be supposed. `partner`
    is the other end of its range; one that `shares_month` is written without a month."""

    day: date
    shape: str
    span: tuple[int, int]
    has_year: bool = True
    partner: date | None = None
    shares_month: bool = False


def dates_in(text: str, *, near: date) -> list[WrittenDate]:
    """Every date of a text in its order; impossible ones are words. A date without a year is the one closest to
    `near`."""
    whole = [one for match in _DATE.finditer(text) if (one := _read(match, near)) is not None]
    dates = list[WrittenDate]()
    for one in whole:
        ends = _in_range(text, one)
        bare = [end.span for end in ends if end.shares_month]
        taken = any(start < other.span[1] and other.span[0] < end for start, end in bare for other in whole)
        dates += [one] if taken else ends
    return dates


def dates_left_in(text: str) -> list[str]:
    """Return the words outside variables that look like a date without a certain year, as they are in the text."""
    plain = re.sub(r"\{\{[^{}]*\}\}", "", text)
    return [match[0].rstrip(".") for match in _DATE_LIKE.finditer(plain) if not re.search(rf"{_YEAR}$", match[0])]


def write_date(day: date, shape: str, *, partner: date | None = None) -> str:
    """A day in a shape of `dates_in`; without its month where it shares that of `partner`."""
    layout, _, code = shape.partition(" ")
    if layout == "slash" or not layout:
        return f"{day.day:02d}/{day.month:02d}/{day.year}" if layout else day.isoformat()
    code = code or "en"
    month, number = _MONTHS[code][day.month - 1], str(day.day)
    if "th" in layout or "of" in layout:
        number += _suffix(day.day)
    weekday = _DAYS[code][day.weekday()] + ("," if "comma" in layout else "") + " "
    weekday = weekday if "week" in layout or "comma" in layout else ""
    us = layout.startswith("us")
    comma = "sep" in layout or (us and "bare" not in layout)
    year = "" if layout.endswith("short") else f"{',' if comma else ''} {day.year}"
    if partner is not None and (day.year, day.month) == (partner.year, partner.month):
        return number + (year if us else "")
    between = " of " if "of" in layout else " "
    return weekday + (f"{month} {number}" if us else f"{number}{between}{month}") + year


def _suffix(number: int) -> str:
    return "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _read(match: re.Match[str], near: date) -> WrittenDate | None:
    part = match.groupdict()
    for year, month, number, shape in _candidates(part, match[0]):
        day = _closest(month, number, near) if year is None else _possible(year, month, number)
        if day is not None:
            return WrittenDate(day=day, shape=shape, span=match.span(), has_year=year is not None)
    return None


def _candidates(part: dict[str, str | None], whole: str) -> Iterator[tuple[int | None, int, int, str]]:
    """Yield (year, month, day of the month, shape) of the one alternative that matched."""
    if part["iso"]:
        year, month, number = (int(one) for one in part["iso"].split("-"))
        yield year, month, number, ""
    if part["us"]:
        year_text = part["uy"]
        us_week = "" if part["uw"] is None else "comma" if part["uwc"] else "week"
        shape = f"us{us_week}{'th' if part['uth'] else ''}{_us_year(year_text, part['uc'])}"
        yield int(year_text) if year_text else None, _ENGLISH.index(part["us"]) + 1, int(part["ud"] or 0), shape
    if part["sd"]:
        yield int(part["sy"] or 0), int(part["sm"] or 0), int(part["sd"]), "slash"
    for code, names in _MONTHS.items():
        if month_text := part[f"m_{code}"]:
            month = [name.lower() for name in names].index(month_text.lower()) + 1
            weekday, written_year = part[f"week_{code}"], part[f"y_{code}"]
            ordinal = "of" if part.get(f"of_{code}") else "th" if part.get(f"th_{code}") else ""
            shape = _shape(code, weekday, written_year, whole, ordinal, comma=bool(part.get(f"c_{code}")))
            yield int(written_year) if written_year else None, month, int(part[f"d_{code}"] or 0), shape


def _us_year(year: str | None, comma: str | None) -> str:
    """The end of a `us` shape: whether the year stands there, and behind a comma."""
    return "short" if year is None else "" if comma else "bare"


def _shape(code: str, week: str | None, year: str | None, whole: str, ordinal: str, *, comma: bool) -> str:
    layout = "" if week is None else "comma" if f"{week}," in whole else "week"
    layout = f"{layout}{ordinal}" + ("short" if year is None else "sep" if comma else "")
    layout = layout or "long"
    return layout if code == "en" else f"{layout} {code}"


def _possible(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _closest(month: int, number: int, near: date) -> date | None:
    days = [day for year in (near.year - 1, near.year, near.year + 1) if (day := _possible(year, month, number))]
    return min(days, key=lambda day: abs((day - near).days), default=None)


# Between the days of a range; "and" and "or" only join days that are written as such: "1st and 2nd".
_LINK = r"(?P<link>[-\u2013\u2014]|\s[-\u2013\u2014]\s|\s(?:to|till|until|through|thru|hadi|al|and|or)\s(?:the\s)?)"
_TAIL = re.compile(rf"{_LINK}(?P<n>[0-3]?\d)(?P<th>{_TH})?(?:(?P<c>,?) (?P<y>{_YEAR})\b)?(?![\w:%/]|[.,]\d)")
_HEAD = re.compile(rf"(?<![\w:./$#-])(?P<n>[0-3]?\d)(?P<th>{_TH})?{_LINK}\Z")
# What may follow a bare number that is the end of a range; a noun would make it a count: "to 3 guests".
_NO_NOUN = re.compile(r"\s*(?:\Z|[.,;!?)\n]|(?:for|in|at|of|with|please|if|is|on|from|and|or|would|but|as|per)\b)")


def _in_range(text: str, written_date: WrittenDate) -> list[WrittenDate]:
    """The date, with the day before or behind it that shares its month, where it is one end of a range."""
    start, end = written_date.span
    us = written_date.shape.startswith("us") and not written_date.has_year
    spoken = bool(written_date.shape) and written_date.shape != "slash" and not written_date.shape.startswith("us")
    match = _TAIL.match(text, end) if us else _HEAD.search(text[max(0, start - 24) : start]) if spoken else None
    if match is None or not _is_range(match, text, us=us):
        return [written_date]
    number, th = int(match["n"]), "th" if match["th"] else ""
    year = int(match["y"]) if us and match["y"] else written_date.day.year
    day, other = (
        _possible(year, written_date.day.month, written_date.day.day),
        _possible(year, written_date.day.month, number),
    )
    if day is None or other is None or (day >= other if us else other >= day):
        return [written_date]
    if us:
        shape = f"us{th}{_us_year(match['y'], match['c'])}"
        span = (match.start("n"), match.end())
    else:
        code = written_date.shape.partition(" ")[2]
        shape = f"{th}short {code}".strip()
        shift = max(0, start - 24)
        span = (shift + match.start("n"), shift + match.end("th" if th else "n"))
    known = written_date.has_year or year != written_date.day.year or bool(us and match["y"])
    bare = WrittenDate(day=other, shape=shape, span=span, has_year=known, partner=day, shares_month=True)
    whole = replace(written_date, day=day, has_year=known, partner=other)
    return [whole, bare] if us else [bare, whole]


def _is_range(match: re.Match[str], text: str, *, us: bool) -> bool:
    word = match["link"].split()
    if match["th"] or (us and match["y"]):
        return True
    if word and word[0] in ("and", "or"):
        return False
    if us:
        return _NO_NOUN.match(text, match.end()) is not None
    return not (match["link"][0].isspace() and word[0] in "-\u2013\u2014")
