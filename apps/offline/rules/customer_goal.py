# ruff: noqa: E501 - patterns and lists of words
"""Read what a rule-driven customer wants, from "key: value" lines or from prose.

It is said in the customer's language.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.core.dialogue.clock import Time, times

_KEYS = {
    "service": "service huduma servizio treatment",
    "day": "day siku date tarehe giorno data when lini",
    "time": "time saa ora hour muda orario",
    "name": "name jina nome customer",
    "phone": "phone simu telefono number namba mobile",
    "payment": "payment malipo pagamento pay",
    "price": "price bei prezzo budget bajeti cost",
}
_KEY_OF = {word: key for key, words in _KEYS.items() for word in words.split()}
_LINE = re.compile(r"[-*]?\s*+([A-Za-z_ ]{2,24}?)\s*+[:=]\s*+(.+)")  # of a line without blanks around it
_SERVICES = re.compile(
    r"\b((?:knotless|box|cornrow|hair|deep tissue|swedish|full body|gel|beard|bridal|men'?s|women'?s|ladies'?)\s+)?"
    r"(braids?|braiding|haircut|hair cut|cornrows|dreadlocks|locs|manicure|pedicure|massage|facial|waxing|trim|shave|"
    r"blow ?dry|hair wash|wash and set|silk press|retouch|treatment|make ?up|nails|colou?ring|hair dye|weave|kusuka(?: nywele)?|"
    r"kunyoa(?: nywele| ndevu)?|kukata nywele|kuosha nywele|rangi ya nywele|kucha|masaji|taglio(?: di capelli)?|piega|massaggio|"
    r"check-?up|cleaning)\b",
    re.I,
)
_DAY = re.compile(
    r"\b((?:next |this )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|tomorrow|today|jumatatu|jumanne|"
    r"jumatano|alhamisi|ijumaa|jumamosi|jumapili|kesho|leo|luned[iì]|marted[iì]|mercoled[iì]|gioved[iì]|venerd[iì]|sabato|"
    r"domenica|domani|oggi)\b",
    re.I,
)
_NAME = re.compile(
    r"(?:\bname is|\bnamed|\bcalled|\bnaitwa|\bjina(?: langu)? ni|\byou are|\bwewe ni|\bmi chiamo|\bI am)\s+([A-Z][\w'’]+(?: [A-Z][\w'’]+)?)"
)
_FIRST_NAME = re.compile(r"^\W*([A-Z][a-z]+(?: [A-Z][a-z]+)?)\b(?=,| is\b| ni\b| \()")
_PHONE = re.compile(r"\+?\d[\d -]{7,14}\d")
_PRICE = re.compile(r"\b(price|cost|how much|afford|cheap|budget|bei|gharama|ngapi|prezzo|quanto)\b", re.I)
_PAY = re.compile(r"\b(m-?pesa|cash|card|taslimu|contanti|carta)\b", re.I)
_NAMES = ("Wanjiru", "Achieng", "Mutua", "Njeri", "Kamau", "Amina", "Otieno", "Halima")


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The goal of a customer.

    `service` is "" where the opening alone says it; `wants_price` makes them ask what it costs.
    """

    service: str
    day: str
    time: Time | None
    time_text: str
    name: str
    phone: str
    payment: str
    wants_price: bool


def read_goal(goal: Any, persona: str, seed: int, opening: str = "") -> Goal:
    """Read a goal, and never fail. A missing part gets an ordinary value, so that every battle can be played."""
    lines, prose = (
        _lines(goal),
        goal if isinstance(goal, str) else " ".join(map(str, goal.values())) if isinstance(goal, Mapping) else "",
    )
    time_text = lines.get("time", "") or prose
    times_found = times(time_text) or (times(f"at {time_text}") if lines.get("time") else ())
    time = times_found[0] if times_found else None
    shown = f"at {time_text}" if time and not times(time_text) else time_text
    return Goal(
        service=lines.get("service")
        or _first(_SERVICES, prose)
        or _first(_SERVICES, persona)
        or _first(_SERVICES, opening)
        or ("" if opening else "haircut"),
        day=lines.get("day") or _first(_DAY, prose) or "Friday",
        time=time,
        time_text=shown[time.start : time.end] if time else "",
        name=lines.get("name")
        or _group(_NAME, persona)
        or _group(_NAME, prose)
        or _group(_FIRST_NAME, persona)
        or _NAMES[seed % len(_NAMES)],
        phone=lines.get("phone") or _first(_PHONE, prose) or "0700 000 000",
        payment=lines.get("payment") or _first(_PAY, prose) or "M-Pesa",
        wants_price="price" in lines or bool(_PRICE.search(prose)),
    )


def _lines(goal: Any) -> dict[str, str]:
    pairs: list[tuple[str, str]] = []
    if isinstance(goal, Mapping):
        pairs = [(str(key), str(value)) for key, value in goal.items() if value not in (None, "")]
    else:
        pairs = [
            (m[1], m[2])
            for line in str(goal or "").replace(";", "\n").splitlines()
            if (m := _LINE.fullmatch(line.strip()))
        ]
    lines: dict[str, str] = {}
    for key, value in pairs:
        for word in re.split(r"[ _]", key.lower()):
            if word in _KEY_OF:
                lines.setdefault(_KEY_OF[word], value)
                break
    return lines


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match.group().strip() if match else ""


def _group(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


_DAYS = {
    "sw": "jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili leo kesho",
    "en": "monday tuesday wednesday thursday friday saturday sunday today tomorrow",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica oggi domani",
}
_SW_HOURS = [
    "sita",
    "saba",
    "nane",
    "tisa",
    "kumi",
    "kumi_na_moja",
    "kumi_na_mbili",
    "moja",
    "mbili",
    "tatu",
    "nne",
    "tano",
]


def say_day(day: str, language: str) -> str:
    """The day in the customer's language; dates and what is not a plain day stay as written."""
    bare = day.lower().removeprefix("next ").removeprefix("this ").strip()
    tongue = {"mixed": "en"}.get(language, language)
    for names in _DAYS.values():
        listed = names.split()
        if bare in listed:
            day_name = _DAYS[tongue].split()[listed.index(bare)]
            return (
                day_name
                if day_name in ("leo", "kesho", "today", "tomorrow", "oggi", "domani") or tongue == "it"
                else day_name.capitalize()
            )
    return day


def say_time(time: Time | None, written: str, language: str) -> str:
    """The time as people say it: Swahili by the Swahili clock, the others as written."""
    if time is None or language not in ("sw", "mixed"):
        return written if written[:1].isdigit() is False or language != "it" else f"le {written}"
    if written.lower().startswith("saa"):
        return written
    minutes = next((m for m in sorted(time.minutes) if 420 <= m < 1200), min(time.minutes))
    hour, minute = divmod(minutes, 60)
    word = _SW_HOURS[hour % 12].replace("_", " ")
    tail = {0: "", 30: " na nusu", 15: " na robo"}.get(minute, f" na dakika {minute}")
    part = "asubuhi" if hour < 12 else "mchana" if hour < 16 else "jioni" if hour < 19 else "usiku"
    return f"saa {word}{tail} {part}"
