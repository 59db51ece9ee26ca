"""Dates and times in a request: fixed ones stay where they are, those made from now move with the clock.

A text is cut into a template and its moments; two texts are the same where the templates are and every moment either
stayed or moved by as much time as lies between recording and playing. So `tomorrow, 23 November` of a prompt matches 40
days later, and `23 November` that a customer asked for does not match another day.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

_MONTHS = (
    ("january", "jan", "januari", "gennaio", "gen"),
    ("february", "feb", "februari", "febbraio"),
    ("march", "mar", "machi", "marzo"),
    ("april", "apr", "aprili", "aprile"),
    ("may", "mei", "maggio", "mag"),
    ("june", "jun", "juni", "giugno", "giu"),
    ("july", "jul", "julai", "luglio", "lug"),
    ("august", "aug", "agosti", "agosto", "ago"),
    ("september", "sep", "sept", "septemba", "settembre", "set"),
    ("october", "oct", "oktoba", "ottobre", "ott"),
    ("november", "nov", "novemba", "novembre"),
    ("december", "dec", "desemba", "dicembre", "dic"),
)
_DAYS = (
    ("monday", "jumatatu", "lunedì"),
    ("tuesday", "jumanne", "martedì"),
    ("wednesday", "jumatano", "mercoledì"),
    ("thursday", "alhamisi", "giovedì"),
    ("friday", "ijumaa", "venerdì"),
    ("saturday", "jumamosi", "sabato"),
    ("sunday", "jumapili", "domenica"),
)
_SHORT_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH_OF = {word: number for number, words in enumerate(_MONTHS, 1) for word in words}
_DAY_OF = {word: number for number, words in enumerate(_DAYS) for word in words}
_MONTH = "(?:" + "|".join(sorted(_MONTH_OF, key=len, reverse=True)) + r")\.?"
_WEEKDAY = "|".join(sorted(_DAY_OF, key=len, reverse=True))
_MOMENT = re.compile(
    r"(?P<iso>(?<!\d)(?:19|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?"
    r"(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?![\d:]))"
    r"|(?P<ymd>(?<![\d.-])(?:19|20)\d\d(?P<s>[-/.])\d{1,2}(?P=s)\d{1,2}(?![\d-]))"
    r"|(?P<dmy>(?<![\d.-])\d{1,2}(?P<t>[-/.])\d{1,2}(?P=t)(?:19|20)\d\d(?![\d-]))"
    rf"|(?P<day_month>(?<!\d)\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (?:19|20)\d\d)?(?!\w))"
    rf"|(?P<month_day>\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?(?![\w:]))"
    rf"|(?P<weekday>\b(?:{_WEEKDAY})\b|\b(?:{'|'.join(_SHORT_DAYS)})\b(?=[,.]? \d|[,.]? (?:{_MONTH}) \d))"
    r"|(?P<clock>(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?![\d:]))"
    r"|(?P<epoch>(?<![\w.+-])1\d{9}(?:\d{3})?(?:\.\d{1,7})?(?![\w.]))",
    re.IGNORECASE,
)
_EPOCH_FROM, _EPOCH_TO = 1_262_304_000, 1_990_000_000  # 2010 to 2033: other numbers of ten digits are no times
TOLERANCE_S = 15 * 60  # calls of one scenario lie minutes after its start
_DAY_S = 86_400


class MomentKind(StrEnum):
    """The kind of a moment tells its written form, and so its exactness."""

    INSTANT = "instant"
    DATE = "date"
    WEEKDAY = "weekday"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Moment:
    """`value` is seconds for an instant, an ordinal for a date, 0-6 for a weekday, seconds of the day for a clock.
    `other` is the second reading of 04/05/2026."""

    kind: MomentKind
    value: float
    other: float | None = None
    dated: bool = True  # False for a date without a year


@dataclass(frozen=True, slots=True)
class DatedText:
    """A text and when it was sent: the year of its dates where none is written."""

    text: str
    now: datetime

    def parts(self, *, timestamps: bool, dates: bool) -> list[tuple[int, str, Moment | None]]:
        """The text in pieces (where it starts, the piece, its moment): words and moments by turns, words first."""
        found, at = list[tuple[int, str, Moment | None]](), 0
        for match in _MOMENT.finditer(self.text):
            instant = match.lastgroup in ("iso", "epoch", "clock")
            moment = _moment(match, self.now) if (timestamps if instant else dates) else None
            if moment is not None:
                found += [(at, self.text[at : match.start()], None), (match.start(), match.group(), moment)]
                at = match.end()
        return [*found, (at, self.text[at:], None)]


def template(
    text: str, *, now: datetime, timestamps: bool = True, dates: bool = True
) -> tuple[str, tuple[Moment, ...]]:
    """The text with `<kind>` for each moment, and the moments. `now` gives the year where none is written."""
    parts = DatedText(text, now).parts(timestamps=timestamps, dates=dates)
    cut = "".join(piece if moment is None else f"<{moment.kind}>" for _, piece, moment in parts)
    return cut, tuple(moment for _, _, moment in parts if moment is not None)


def shifts(before: datetime, after: datetime) -> tuple[int, ...]:
    """By how many days a date made from now may have moved, in whatever zone; 0 is what a fixed one does."""
    zones = [timedelta(minutes=15 * quarters) for quarters in range(-48, 57)]
    moved = {(after + zone).date() - (before + zone).date() for zone in zones}
    return (0, *sorted(days.days for days in moved if days.days))


def all_same(before: Sequence[Moment], after: Sequence[Moment], *, elapsed_s: float, shift: int) -> bool:
    """Whether each moment stayed, or moved by the time that went by; dates by `shift` days."""
    if len(before) != len(after):
        return False
    return all(_same(one, other, elapsed_s, shift) for one, other in zip(before, after, strict=True))


def first_difference(
    before: DatedText, after: DatedText, *, timestamps: bool, dates: bool, shift: int
) -> tuple[int, int]:
    """Return the place in either text at which the two begin to differ.
    Moments that moved with the clock are no difference."""
    elapsed = (after.now - before.now).total_seconds()
    sides = (side.parts(timestamps=timestamps, dates=dates) for side in (before, after))
    for (at, piece, moment), (other_at, other_piece, other) in zip(*sides, strict=False):
        if moment is not None and other is not None:
            if not _same(moment, other, elapsed, shift):
                return at, other_at
            continue
        if piece != other_piece:
            same = next((n for n, pair in enumerate(zip(piece, other_piece, strict=False)) if pair[0] != pair[1]), None)
            same = min(len(piece), len(other_piece)) if same is None else same
            return at + same, other_at + same
    return len(before.text), len(after.text)


def _same(one: Moment, other: Moment, elapsed_s: float, shift: int) -> bool:
    if one.kind is not other.kind:
        return False
    moved = other.value - one.value
    match one.kind:
        case MomentKind.INSTANT:
            made_now = abs(moved - elapsed_s) <= TOLERANCE_S
            return moved == 0 or made_now or abs(moved - shift * _DAY_S) < 1
        case MomentKind.WEEKDAY:
            return moved == 0 or (moved - shift) % 7 == 0
        case MomentKind.CLOCK:
            drift = (moved - elapsed_s) % _DAY_S
            return moved == 0 or min(drift, _DAY_S - drift) <= TOLERANCE_S
    readings = [(one.value, other.value)]
    if one.other is not None and other.other is not None:
        readings.append((one.other, other.other))
    if any(after - before in (0, shift) for before, after in readings):
        return True
    # Without a year, and the year taken from another now: the day of the year is what was written.
    return not (one.dated and other.dated) and _day_and_month(one.value) == _day_and_month(other.value)


def _day_and_month(ordinal: float) -> tuple[int, int]:
    day = date.fromordinal(int(ordinal))
    return day.month, day.day


def _moment(match: re.Match[str], now: datetime) -> Moment | None:
    text = match.group().lower()
    try:
        match match.lastgroup:
            case "iso":
                return Moment(MomentKind.INSTANT, _instant(text))
            case "epoch":
                number = float(text)
                seconds = number / 1000 if number >= 1e11 else number
                return Moment(MomentKind.INSTANT, seconds) if _EPOCH_FROM < seconds < _EPOCH_TO else None
            case "ymd" | "s":
                return Moment(MomentKind.DATE, date(*map(int, re.split(r"[-/.]", text))).toordinal())
            case "dmy" | "t":
                return _two_readings(*map(int, re.split(r"[-/.]", text)))
            case "day_month" | "month_day":
                return _in_words(text, now)
            case "weekday":
                number = _DAY_OF.get(text, _SHORT_DAYS.index(text) if text in _SHORT_DAYS else -1)
                return Moment(MomentKind.WEEKDAY, number)
            case _:
                return Moment(MomentKind.CLOCK, _clock(text))
    except (ValueError, OverflowError):
        return None


def _instant(text: str) -> float:
    text = re.sub(r"\s?(?:z|utc)$", "+00:00", text.replace(",", "."))
    text = re.sub(r"\s(?=[+-]\d\d:?\d\d$)", "", text)
    text = re.sub(r"\.(\d{1,9})", lambda match: "." + match[1][:6].ljust(6, "0"), text)
    parsed = datetime.fromisoformat(text.upper())
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def _two_readings(first: int, second: int, year: int) -> Moment:
    readings = []
    for day, month in ((first, second), (second, first)):
        if 1 <= month <= 12:
            readings.append(float(date(year, month, day).toordinal()))
    if not readings:
        raise ValueError("no date")
    return Moment(MomentKind.DATE, readings[0], readings[1] if len(readings) > 1 else None)


def _in_words(text: str, now: datetime) -> Moment:
    numbers = [int(one) for one in re.findall(r"\d+", text)]
    word = next(word for word in re.findall(r"[^\W\d_]+", text) if word in _MONTH_OF)
    month, day = _MONTH_OF[word], numbers[0]
    if len(numbers) > 1:
        return Moment(MomentKind.DATE, date(numbers[1], month, day).toordinal())
    near = [
        date(now.year + step, month, day) for step in (-1, 0, 1) if (month, day) != (2, 29) or _leap(now.year + step)
    ]
    nearest = min(near, key=lambda one: abs(one - now.date()))
    return Moment(MomentKind.DATE, nearest.toordinal(), dated=False)


def _leap(year: int) -> bool:
    return (date(year, 3, 1) - timedelta(days=1)).day == 29


def _clock(text: str) -> float:
    parts = [float(one) for one in re.findall(r"\d+(?:\.\d+)?", text)]
    hours = parts[0] % 12 + (12 if "p" in text else 0) if re.search(r"[ap]\.?m", text) else parts[0]
    return hours * 3600 + parts[1] * 60 + (parts[2] if len(parts) > 2 else 0)
