# ruff: noqa: E501 - patterns and lists of words
"""Times of day and days of the week in English, Swahili and Italian.

A time is a set of possible minutes of the day: "at 10" may be 10:00 or 22:00; "saa nne" counts from six o'clock, so it
is 10:00 (or 22:00); "saa 10:00" written with digits is read both ways. Two times agree when their sets meet.
"""

import re
from dataclasses import dataclass

HALF_DAY = 720
_SW_HOURS = ["moja", "mbili", "tatu", "nne", "tano", "sita", "saba", "nane", "tisa", "kumi"]
_SW_TENS = {"kumi": 10, "ishirini": 20, "thelathini": 30, "arobaini": 40, "arubaini": 40, "hamsini": 50}
_EN_HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_IT_HOURS = ["una", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici", "dodici"]
_EN = "|".join(_EN_HOURS)
_PERIODS = {
    "alfajiri": (180, 420),
    "asubuhi": (300, 719),
    "mchana": (660, 1019),
    "alasiri": (780, 1079),
    "jioni": (900, 1260),
    "usiku": (1080, 1740),
    "morning": (240, 719),
    "afternoon": (720, 1079),
    "evening": (960, 1320),
    "night": (1080, 1740),
    "mattina": (240, 719),
    "pomeriggio": (720, 1139),
    "sera": (1020, 1439),
}
_SWAHILI = re.compile(
    r"\bsaa\s+(?P<h>\d{1,2}\b|kumi\s+na\s+(?:moja|mbili)|moja|mbili|tatu|nne|tano|sita|saba|nane|tisa|kumi)"
    r"(?::(?P<m>\d{2}))?(?P<ap>\s?[ap]\.?m\b)?"
    r"(?P<part>\s+(?:na\s+(?:nusu|robo|dakika\s+(?:\d{1,2}|(?:kumi|ishirini|thelathini|arobaini|arubaini|hamsini)(?:\s+na\s+(?:moja|mbili|tatu|nne|tano|sita|saba|nane|tisa))?|tano))|u\s+nusu|kasoro\s?robo|kasorobo))?"
    r"(?:\s+(?:kamili\s+)?(?:za\s+|ya\s+)?(?P<p>alfajiri|asubuhi|mchana|alasiri|jioni|usiku))?",
    re.I,
)
_DIGITS = re.compile(
    r"(?<![\d:.,/-])(?P<h>\d{1,2})(?!\d)(?:[:h](?P<m>\d{2})(?!\d)|\.(?P<m2>\d{2})(?=\s?[ap]\.?m))?(?P<sec>:\d{2})?"
    r"(?:\s?(?P<ap>[ap])\.?m\b\.?|\s?o'?clock|(?P<bare>))(?:\s+(?:in\s+the\s+|at\s+|del\s+|di\s+)?"
    r"(?P<p>morning|afternoon|evening|night|mattina|pomeriggio|sera|asubuhi|mchana|jioni))?",
    re.I,
)
_WORDS = re.compile(
    rf"\b(?:(?P<rel>half\s+past|quarter\s+past|quarter\s+to)\s+(?P<rh>{_EN}|\d{{1,2}})"
    rf"|(?P<oh>{_EN})\s+o'?clock|at\s+(?P<ah>{_EN})\b(?!\s+(?:of|or|more|place|hour|day))"
    rf"(?:\s+(?P<am>thirty|fifteen|forty[- ]five))?|(?P<pmh>{_EN})\s?(?P<ap>[ap])\.?m\b|(?P<noon>noon|midday|mezzogiorno)"
    rf"|all[e']\s?(?P<ih>{'|'.join(_IT_HOURS)})\b(?P<half>\s+e\s+mezza)?)",
    re.I,
)
_BEFORE_BARE = re.compile(r"(?:\bat|\balle|\bore|\btill|\buntil)\s+$", re.I)
_TRIGGER = re.compile(r"\d|\bsaa\b|clock|\bhalf\b|quarter|noon|midday|mezzogiorno|\balle\b|\bat [a-z]|[ap]\.?m\b", re.I)


@dataclass(frozen=True, slots=True)
class Time:
    """One time in a text: where it stands and which minutes of the day it may mean."""

    start: int
    end: int
    minutes: frozenset[int]

    def agrees(self, other: "Time") -> bool:
        return not self.minutes.isdisjoint(other.minutes)


def _possible(hour: int, minute: int, period: str | None, *, exact: bool = False) -> frozenset[int]:
    base = hour * 60 + minute
    readings = {base} if exact else {base % HALF_DAY, base % HALF_DAY + HALF_DAY}
    if period:
        low, high = _PERIODS[period.lower()]
        possible = {m for m in readings if low <= m <= high or low <= m + 1440 <= high}
        return frozenset(possible or ())
    return frozenset(readings)


def _swahili_minutes(text: str) -> int:
    """ "arobaini na tano" -> 45."""
    words = text.replace(" na ", " ").split()
    return sum(int(w) if w.isdigit() else _SW_TENS.get(w, 0) or _SW_HOURS.index(w) + 1 for w in words) % 60


def _swahili(match: re.Match[str]) -> frozenset[int]:
    raw = " ".join(match["h"].lower().split())
    part = (match["part"] or "").lower()
    minute = int(match["m"] or 0)
    if "nusu" in part:
        minute = 30
    elif "kasoro" in part:
        minute = -15
    elif "robo" in part:
        minute = 15
    elif "dakika" in part:
        minute = _swahili_minutes(part.split("dakika", 1)[1])
    if raw.isdigit():
        hour = int(raw)
        if hour > 12 or match["ap"]:
            shift = 12 if match["ap"] and "p" in match["ap"].lower() and hour < 12 else 0
            return _possible(hour + shift, minute, None, exact=True)
        spoken = _possible(hour + 6, minute, match["p"])
        return spoken | _possible(hour, minute, match["p"]) if match["m"] or not spoken else spoken
    hour = _SW_HOURS.index(raw) + 1 if raw in _SW_HOURS else 11 + raw.endswith("mbili")
    return _possible(hour + 6, minute, match["p"]) or _possible(hour + 6, minute, None)


def _digital(match: re.Match[str], text: str) -> frozenset[int]:
    hour, minute = int(match["h"]), int(match["m"] or match["m2"] or 0)
    if hour > 23 or minute > 59:
        return frozenset()
    if match["ap"]:
        return _possible(hour % 12 + (12 if match["ap"].lower() == "p" else 0), minute, None, exact=True)
    bare = match["m"] is None and match["bare"] is not None
    if bare and match["p"] is None and not _BEFORE_BARE.search(text[max(0, match.start() - 8) : match.start()]):
        return frozenset()
    if hour == 0 or hour > 12 or match["h"][0] == "0":
        return _possible(hour, minute, None, exact=True)
    return _possible(hour, minute, match["p"]) or _possible(hour, minute, None)


def _worded(match: re.Match[str]) -> frozenset[int]:
    if match["noon"]:
        return frozenset({HALF_DAY})
    if match["ih"]:
        return _possible(_IT_HOURS.index(match["ih"].lower()) + 1, 30 if match["half"] else 0, None)
    raw = (match["rh"] or match["oh"] or match["ah"] or match["pmh"]).lower()
    hour = int(raw) if raw.isdigit() else _EN_HOURS.index(raw) + 1
    if match["ap"]:
        return _possible(hour % 12 + (12 if match["ap"].lower() == "p" else 0), 0, None, exact=True)
    tail = (match["am"] or "").lower()
    minute = {"half": 30, "quar": 15}.get((match["rel"] or "")[:4].lower(), 0)
    minute = -15 if (match["rel"] or "").lower().endswith("to") else minute
    return (
        _possible(hour, {"t": 30, "f": 45}.get(tail[:1], 0) if tail != "fifteen" else 15, None)
        if tail
        else _possible(hour, minute, None)
    )


def times(text: str) -> tuple[Time, ...]:
    """All times of day in `text`, in order. Prices, dates and phone numbers are not times."""
    if not _TRIGGER.search(text):
        return ()
    readings: list[Time] = []
    spans: list[tuple[int, int]] = []
    for pattern in (_SWAHILI, _WORDS, _DIGITS):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < b and end > a for a, b in spans):
                continue
            if pattern is _SWAHILI:
                minutes = _swahili(match)
            else:
                minutes = _worded(match) if pattern is _WORDS else _digital(match, text)
            if minutes:
                readings.append(Time(start, end, minutes))
                spans.append((start, end))
    return tuple(sorted(readings, key=lambda time: time.start))


_DAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday jumatatu lunedì lunedi",
            "tuesday jumanne martedì martedi",
            "wednesday jumatano mercoledì mercoledi",
            "thursday alhamisi giovedì giovedi",
            "friday ijumaa venerdì venerdi",
            "saturday jumamosi sabato",
            "sunday jumapili domenica",
        )
    )
    for name in names.split()
}
_HOUR_OF = {word: number for number, word in enumerate(_EN_HOURS, 1)}


def bare_hours(words: tuple[str, ...] | list[str]) -> set[int]:
    """Numbers from 1 to 12 among lower-case `words`, in digits ("9", "9am") or in English words."""
    hours = {_HOUR_OF[word] for word in words if word in _HOUR_OF}
    digits = (word.rstrip("apm.") for word in words if word[0].isdigit() and len(word) <= 4)
    return hours | {int(digit) for digit in digits if digit.isdecimal() and 1 <= int(digit) <= 12}


_RELATIVE = frozenset(["today", "tomorrow", "tonight", "leo", "kesho", "kutwa", "oggi", "domani", "dopodomani"])


def weekdays(words: tuple[str, ...] | list[str]) -> frozenset[int]:
    """Days of the week named among lower-case `words` (Monday = 0)."""
    return frozenset(_DAYS[word] for word in words if word in _DAYS)


def speaks_of_a_day(words: tuple[str, ...] | list[str]) -> bool:
    """True when a weekday, today, tomorrow or the like is named."""
    return any(word in _DAYS or word in _RELATIVE for word in words)
