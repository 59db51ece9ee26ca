"""Dates of a golden session: found in a text, named by their distance from the session's day, written on another day.

English, Swahili and Italian. A shape says how a date is written, so that it can be written so again: nothing for
2026-05-08, `long` 8 May 2026, `week` and `comma` with the weekday, `us` May 8, 2026, `slash` 08/05/2026, `short` 8 May,
`weekshort` and `commashort` with the weekday, `usshort` May 8; behind it `sw` or `it` where the month is in that
language.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

_ENGLISH = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTHS = {
    "en": _ENGLISH,
    "sw": ("Januari", "Februari", "Machi", "Aprili", "Mei", "Juni", "Julai", "Agosti", "Septemba", "Oktoba",
           "Novemba", "Desemba"),
    "it": ("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
           "novembre", "dicembre"),
}  # fmt: skip
_DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "sw": ("Jumatatu", "Jumanne", "Jumatano", "Alhamisi", "Ijumaa", "Jumamosi", "Jumapili"),
    "it": ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
}
_SPOKEN = ("long", "week", "comma", "short", "weekshort", "commashort")
_FOREIGN = tuple(f"{one} {code}" for one in _SPOKEN for code in ("sw", "it"))
SHAPES = frozenset({"", "us", "slash", "usshort", *_SPOKEN, *_FOREIGN})
_YEAR = r"(?:19|20)\d\d"


def _either_case(names: Sequence[str]) -> str:
    return "|".join(f"[{one[0].upper()}{one[0].lower()}]{one[1:]}" for one in names)


def _written(code: str) -> str:
    months = _either_case(_MONTHS[code]) if code != "en" else "|".join(_ENGLISH)
    days = _either_case(_DAYS[code]) if code != "en" else "|".join(_DAYS[code])
    day = rf"(?:(?P<week_{code}>{days}),? )?(?<![\d:.])(?P<d_{code}>[0-3]?\d)"
    return rf"\b{day} (?P<m_{code}>{months})\b(?: (?P<y_{code}>{_YEAR})\b)?"


_DATE = re.compile(
    rf"\b(?P<iso>{_YEAR}-[01]\d-[0-3]\d)\b(?!T)"
    rf"|{_written('en')}|{_written('sw')}|{_written('it')}"
    rf"|\b(?P<us>{'|'.join(_ENGLISH)}) (?P<ud>[0-3]?\d)(?![\d:])(?:, (?P<uy>{_YEAR})\b)?"
    rf"|\b(?P<sd>[0-3]?\d)/(?P<sm>[01]?\d)/(?P<sy>{_YEAR})\b"
)
# What reads like a date and has no shape here: "8th of May", "8 Sept", "8.5.2026".
_SHORT_NAMES = (*(one[:3] for one in _ENGLISH), "Sept")
_MONTH_LIKE = "|".join(sorted({*_SHORT_NAMES, *(one for names in _MONTHS.values() for one in names)}, key=len)[::-1])
_DATE_LIKE = re.compile(
    rf"\b[0-3]?\d(?:st|nd|rd|th|°|º)?(?: of)? (?:{_MONTH_LIKE})\b\.?(?: {_YEAR}\b)?"
    rf"|\b(?:{_MONTH_LIKE})\.? [0-3]?\d(?:st|nd|rd|th)?\b(?!:)|\b[0-3]?\d\.[01]?\d\.{_YEAR}\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenDate:
    """A date in a text: how it is written, and where. `has_year` is False where the year had to be supposed."""

    day: date
    shape: str
    span: tuple[int, int]
    has_year: bool = True


def dates_in(text: str, *, near: date) -> list[WrittenDate]:
    """Every date of a text in its order; impossible ones are words. A date without a year is the one closest to
    `near`."""
    return [found for match in _DATE.finditer(text) if (found := _read(match, near)) is not None]


def dates_left_in(text: str) -> list[str]:
    """What reads like a date of no certain year, outside variables: as it stands in the text."""
    plain = re.sub(r"\{\{[^{}]*\}\}", "", text)
    return [match[0].rstrip(".") for match in _DATE_LIKE.finditer(plain) if not re.search(rf"{_YEAR}$", match[0])]


def write_date(day: date, shape: str) -> str:
    """A day in a shape of `dates_in`."""
    layout, _, code = shape.partition(" ")
    code = code or "en"
    month, weekday = _MONTHS[code][day.month - 1], _DAYS[code][day.weekday()]
    return {
        "long": f"{day.day} {month} {day.year}",
        "week": f"{weekday} {day.day} {month} {day.year}",
        "comma": f"{weekday}, {day.day} {month} {day.year}",
        "us": f"{month} {day.day}, {day.year}",
        "slash": f"{day.day:02d}/{day.month:02d}/{day.year}",
        "short": f"{day.day} {month}",
        "weekshort": f"{weekday} {day.day} {month}",
        "commashort": f"{weekday}, {day.day} {month}",
        "usshort": f"{month} {day.day}",
    }.get(layout, day.isoformat())


def _read(match: re.Match[str], near: date) -> WrittenDate | None:
    part = match.groupdict()
    for year, month, number, shape in _candidates(part, match[0]):
        day = _closest(month, number, near) if year is None else _possible(year, month, number)
        if day is not None:
            return WrittenDate(day=day, shape=shape, span=match.span(), has_year=year is not None)
    return None


def _candidates(part: dict[str, str | None], whole: str) -> Iterator[tuple[int | None, int, int, str]]:
    """(year, month, day of the month, shape) of the one alternative that matched."""
    if part["iso"]:
        year, month, number = (int(one) for one in part["iso"].split("-"))
        yield year, month, number, ""
    if part["us"]:
        year_text = part["uy"]
        yield (
            int(year_text) if year_text else None,
            _ENGLISH.index(part["us"]) + 1,
            int(part["ud"] or 0),
            "us" if year_text else "usshort",
        )
    if part["sd"]:
        yield int(part["sy"] or 0), int(part["sm"] or 0), int(part["sd"]), "slash"
    for code, names in _MONTHS.items():
        if month_text := part[f"m_{code}"]:
            month = [one.lower() for one in names].index(month_text.lower()) + 1
            week, year_text = part[f"week_{code}"], part[f"y_{code}"]
            shape = _shape(code, week, year_text, whole)
            yield int(year_text) if year_text else None, month, int(part[f"d_{code}"] or 0), shape


def _shape(code: str, week: str | None, year: str | None, whole: str) -> str:
    layout = "" if week is None else "comma" if f"{week}," in whole else "week"
    layout = f"{layout}short" if year is None else layout or "long"
    return layout if code == "en" else f"{layout} {code}"


def _possible(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _closest(month: int, number: int, near: date) -> date | None:
    days = [day for year in (near.year - 1, near.year, near.year + 1) if (day := _possible(year, month, number))]
    return min(days, key=lambda day: abs((day - near).days), default=None)
