"""Days and times as people write them in Nairobi, and as the agent writes them back.

Swahili counts hours from dawn: *saa nne asubuhi* is ten in the morning. The agent says both readings, so nobody comes
six hours off. Pure functions; `today` is always passed in.
"""

# ruff: noqa: E501 - patterns read better on one line

import re
from datetime import date, time, timedelta

SW_DAYS = ("Jumatatu", "Jumanne", "Jumatano", "Alhamisi", "Ijumaa", "Jumamosi", "Jumapili")
EN_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SW_MONTHS = (
    "Januari", "Februari", "Machi", "Aprili", "Mei", "Juni", "Julai", "Agosti", "Septemba", "Oktoba", "Novemba",
    "Desemba",
)  # fmt: skip
EN_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
SW_HOURS = (
    "", "moja", "mbili", "tatu", "nne", "tano", "sita", "saba", "nane", "tisa", "kumi", "kumi na moja", "kumi na mbili",
)  # fmt: skip
SHORT_DAYS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sato": 5, "sun": 6,
    "jumaa": 4, "furahiday": 4, "jtatu": 0, "jmosi": 5,
}  # fmt: skip
PERIODS = {
    "morning": "morning", "asubuhi": "morning", "asubui": "morning", "mapema": "morning", "afternoon": "afternoon",
    "mchana": "afternoon", "alasiri": "afternoon", "lunch": "afternoon", "lunchtime": "afternoon",
    "evening": "evening", "jioni": "evening", "after work": "evening",
}  # fmt: skip


def day_label(day: date, language: str) -> str:
    """`Saturday 21 November`, `Jumamosi tarehe 21 Novemba` or, mixed, `Saturday tarehe 21`."""
    if language == "sw":
        return f"{SW_DAYS[day.weekday()]} tarehe {day.day} {SW_MONTHS[day.month - 1]}"
    if language == "mix":
        return f"{EN_DAYS[day.weekday()]} tarehe {day.day}"
    return f"{EN_DAYS[day.weekday()]} {day.day} {EN_MONTHS[day.month - 1]}"


def short_day(day: date, language: str) -> str:
    """Only the weekday."""
    return SW_DAYS[day.weekday()] if language == "sw" else EN_DAYS[day.weekday()]


def time_label(moment: time, language: str) -> str:
    """`10:30am` in English and mixed; `saa nne na nusu asubuhi (10:30am)` in Swahili."""
    clock = f"{(moment.hour - 1) % 12 + 1}:{moment.minute:02d}{'am' if moment.hour < 12 else 'pm'}"
    if language != "sw":
        return clock
    hour = (moment.hour - 6) % 12 or 12
    minutes = {0: "", 15: " na robo", 30: " na nusu", 45: " na dakika arobaini na tano"}.get(
        moment.minute, f" na dakika {moment.minute}"
    )
    part = "asubuhi" if moment.hour < 12 else "mchana" if moment.hour < 16 else "jioni"
    return f"saa {SW_HOURS[hour]}{minutes} {part} ({clock})"


def join_choices(items: list[str], language: str) -> str:
    """`a, b or c` / `a, b au c` / `a, b ama c`."""
    word = {"en": "or", "sw": "au", "mix": "ama"}[language]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


_WEEKDAY = {name.lower(): index for names in (EN_DAYS, SW_DAYS) for index, name in enumerate(names)} | SHORT_DAYS
_MONTH = {name.lower(): n for names in (EN_MONTHS, SW_MONTHS) for n, name in enumerate(names, 1)} | {
    name[:3].lower(): n for n, name in enumerate(EN_MONTHS, 1)
}
_DATED = re.compile(
    r"\b(?:tarehe\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+("
    + "|".join(sorted(_MONTH, key=len, reverse=True))
    + r")\b"
    r"|\b(?:tarehe|the)\s+(\d{1,2})(?:st|nd|rd|th)?\b(?![:.]\d|\s*(?:o'?clock|[ap]\.?m))|\b(\d{1,2})(?:st|nd|rd|th)\b"
)


def find_day(text: str, today: date) -> tuple[date | None, str]:
    """The day `text` (lower case) names, and the text without a dated form so that its digits are not read as a time.

    A weekday means the next one, today counting only when said (`leo`, `today`); a past date rolls on a month.
    """
    dated = _DATED.search(text)
    if dated:
        rest = text[: dated.start()] + " " + text[dated.end() :]
        return _dated(dated, today), rest
    if re.search(r"\bkesho\s?kutwa\b|\bday after tomorrow\b", text):
        return today + timedelta(days=2), text
    if re.search(r"\bkesho\b|\btomorrow\b|\btmrw\b|\btomoro\b|\bkesh\b", text):
        return today + timedelta(days=1), text
    if re.search(r"\bleo\b|\btoday\b|\btonight\b", text):
        return today, text
    names = re.findall(r"[a-z]+", text)
    for position, word in enumerate(names):
        base = word.removesuffix("s") if word not in _WEEKDAY else word
        if base in _WEEKDAY:
            ahead = (_WEEKDAY[base] - today.weekday()) % 7 or 7
            following = " ".join(names[position + 1 : position + 3])
            next_week = "next week" in text or following in ("ijayo", "ya wiki") or "wiki ijayo" in text
            return today + timedelta(days=ahead + (7 if next_week and ahead <= 6 - today.weekday() else 0)), text
    if re.search(r"\bweekend\b|\bwikendi\b|\bwiki?end\b", text):
        return today + timedelta(days=(5 - today.weekday()) % 7 or 7), text
    if re.search(r"\bnext week\b|\bwiki ijayo\b", text):
        return today + timedelta(days=7 - today.weekday()), text
    return None, text


def _dated(found: re.Match[str], today: date) -> date | None:
    number = int(found.group(1) or found.group(3) or found.group(4))
    month = _MONTH[found.group(2)] if found.group(2) else today.month
    for year, candidate_month in (
        (today.year, month),
        (today.year + month // 12, month % 12 + 1),
        (today.year + 1, month),
    ):
        try:
            day = date(year, candidate_month, number)
        except ValueError:
            continue
        if day >= today and (not found.group(2) or candidate_month == month):
            return day
    return None


_SW_HOUR_WORDS = "|".join(sorted((w for w in SW_HOURS if w), key=len, reverse=True))
_SW_TIME = re.compile(
    rf"\bsaa\s+({_SW_HOUR_WORDS}|\d{{1,2}})(?:[:.](\d{{2}}))?(\s+na\s+nusu|\s+na\s+robo)?"
    r"(?:\s+(?:ya|za|ya\s+saa)?\s*(asubuhi|mchana|alasiri|jioni|usiku))?"
)
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s*([ap])\.?\s?m\b|\b(\d{1,2}):(\d{2})\b")
_AT = re.compile(
    r"\b(?:at|around|by|about|from|maybe|for)\s+(\d{1,2})(?:[:.](\d{2}))?(?:\s+o'?clock)?\b(?!\s*(?:k\b|people|of us|kids))"
)
_BARE = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\b")
_EN_HOURS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_EN_WORDS = re.compile(r"\b(?:at|around|by|about)\s+(" + "|".join(_EN_HOURS) + r")(\s+thirty)?\b|\b(noon|midday)\b")


def find_time(text: str, *, bare: bool) -> time | None:
    """The clock time `text` (lower case, dates and phone numbers already out) names; `bare` numbers only if asked."""
    swahili = _SW_TIME.search(text)
    if swahili:
        return _swahili_time(swahili)
    clock = _CLOCK.search(text)
    if clock:
        hour, minute = int(clock.group(1) or clock.group(4)), int(clock.group(2) or clock.group(5) or 0)
        if clock.group(3):
            hour = hour % 12 + (12 if clock.group(3) == "p" else 0)
        return _at(hour, minute, guess=not clock.group(3))
    words = _EN_WORDS.search(text)
    if words:
        return time(12, 0) if words.group(3) else _at(_EN_HOURS.index(words.group(1)) + 1, 30 if words.group(2) else 0)
    found = _AT.search(text) or (_BARE.search(text) if bare else None)
    return _at(int(found.group(1)), int(found.group(2) or 0)) if found else None


def _swahili_time(found: re.Match[str]) -> time | None:
    said = found.group(1)
    number = SW_HOURS.index(said) if said in SW_HOURS else int(said)
    extra = found.group(3) or ""
    minute = int(found.group(2) or 0) or (30 if "nusu" in extra else 15 if "robo" in extra else 0)
    if number > 12:
        return _at(number, minute)
    hour = 18 if number == 12 and said != "12" else (number + 6) % 12 + (12 if number >= 6 else 0)
    if not 7 <= hour <= 20 or (found.group(4) == "asubuhi" and hour >= 12):
        return _at(number, minute)  # said by the English clock after all: "saa 10 asubuhi"
    return _at(hour, minute)


def _at(hour: int, minute: int, *, guess: bool = True) -> time | None:
    if guess and 1 <= hour <= 7:
        hour += 12  # nobody asks a salon for three in the morning
    return time(hour, minute) if hour < 24 and minute < 60 else None


def find_period(text: str) -> str | None:
    """morning, afternoon or evening, where `text` (lower case) says one."""
    return next((period for word, period in PERIODS.items() if re.search(rf"\b{word}\b", text)), None)


def in_period(moment: time, period: str) -> bool:
    """Whether a slot belongs to the part of the day the customer named."""
    if period == "morning":
        return moment.hour < 12
    return moment.hour >= 16 if period == "evening" else 12 <= moment.hour < 17
