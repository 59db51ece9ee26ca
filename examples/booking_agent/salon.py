"""Salon Amani itself: services and prices, opening hours, free slots, and the M-Pesa receipt. Pure and seeded."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, time, timedelta

PLACE = "Amani Court, Argwings Kodhek Road, Kilimani"
OPENS, CLOSES = time(8, 30), time(18, 30)
CLOSED_WEEKDAY = 6  # Sunday
LAST_START = time(17, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One thing the salon does. `english` and `swahili` are how people say it; `aliases` how they may type it."""

    key: str
    english: str
    swahili: str
    price_kes: int
    minutes: int
    aliases: tuple[str, ...]
    plural: bool = False


def _service(
    key: str, english: str, swahili: str, price: int, minutes: int, aliases: str, plural: bool = False
) -> Service:
    names = tuple(alias.strip() for alias in aliases.split(","))
    return Service(
        key=key, english=english, swahili=swahili, price_kes=price, minutes=minutes, aliases=names, plural=plural
    )


SERVICES: dict[str, Service] = {
    service.key: service
    for service in (
        _service("box_braids", "box braids", "box braids", 3500, 240, "box braids, box braid, rasta braids", True),
        _service("knotless", "knotless braids", "knotless braids", 4500, 300, "knotless braids, knotless", True),
        _service(
            "cornrows", "cornrows", "mistari", 1500, 120, "cornrows, cornrow, corn rows, mistari, matuta, lines", True
        ),
        _service("locs", "a locs retwist", "ku-retwist locs", 2500, 150, "locs, dreadlocks, dreads, retwist, loc"),
        _service("weave", "a weave installation", "kuweka weave", 2800, 150, "weave, weaves, wig, closure"),
        _service("blow_dry", "a wash and blow-dry", "kuosha na blow-dry", 1000, 60, "blow-dry, blow dry, blowdry"),
        _service("wash", "a wash and set", "kuosha nywele", 800, 60, "wash and set, wash, kuosha nywele, kuoshwa"),
        _service("relaxer", "a relaxer retouch", "retouch ya relaxer", 2000, 90, "relaxer, retouch, perm"),
        _service("treatment", "a hair treatment", "treatment ya nywele", 1800, 75, "treatment, steaming, hot oil"),
        _service("colour", "hair colouring", "kupaka nywele rangi", 3000, 120, "colour, color, dye, highlights, tint"),
        _service(
            "haircut",
            "a haircut",
            "kunyoa nywele",
            600,
            45,
            "haircut, hair cut, cut, trim, shave, kunyoa, kinyozi, kukata nywele, kunyolewa",
        ),
        _service("gel_nails", "gel nails", "kucha za gel", 2000, 75, "gel nails, gel, acrylics, gel polish", True),
        _service("manicure", "a manicure", "manicure", 1000, 45, "manicure, manicures, mani"),
        _service("pedicure", "a pedicure", "pedicure", 1500, 60, "pedicure, pedicures, pedi, miguu"),
        _service("facial", "a facial", "facial", 2500, 60, "facial, facials, uso, scrub"),
        _service("massage", "a full-body massage", "masaji", 3000, 60, "massage, masaji, massages, spa"),
        _service("makeup", "make-up", "makeup", 3000, 60, "makeup, make-up, make up, glam"),
        _service("lashes", "lash extensions", "kope", 2200, 90, "lashes, lash extensions, lash, kope, eyelashes", True),
        _service("brows", "brow threading", "kutengeneza nyusi", 500, 30, "eyebrows, brows, threading, nyusi, brow"),
        _service("waxing", "waxing", "waxing", 1500, 45, "waxing, wax"),
    )
}

# What people say before they have decided: the choices to put to them.
FAMILIES: dict[str, tuple[str, ...]] = {
    "braids": ("box_braids", "knotless"),
    "hair": ("box_braids", "blow_dry"),
    "nails": ("manicure", "gel_nails"),
}
FAMILY_ALIASES: dict[str, tuple[str, ...]] = {
    "braids": (
        "braids",
        "braid",
        "braiding",
        "braided",
        "kusuka",
        "kusukwa",
        "nisukwe",
        "msuko",
        "kusuka nywele",
        "nisuke",
    ),
    "hair": ("hair", "nywele", "hairdo", "hairstyle"),
    "nails": ("nails", "kucha", "nail"),
}


def facts() -> list[str]:
    """What is true of the salon and may be said: the known facts of an agent's profile."""
    return [
        f"Salon Amani is at {PLACE}.",
        f"It is open Monday to Saturday from {OPENS:%H:%M} to {CLOSES:%H:%M}, and closed on Sundays; the last "
        f"appointment begins at {LAST_START:%H:%M}.",
        "Payment is by M-Pesa or at the salon; nobody is asked for a PIN or a code in the chat.",
        *(
            f"The price of {one.english} is KES {one.price_kes}; it takes {one.minutes} minutes."
            for one in SERVICES.values()
        ),
    ]


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("|".join(str(part) for part in parts).encode()).digest()


def is_open(day: date) -> bool:
    """Whether the salon works on `day`."""
    return day.weekday() != CLOSED_WEEKDAY


def free_slots(day: date, *, seed: int = 0) -> tuple[time, ...]:
    """The free starts on `day`, on the hour or half hour, in order; the same for the same day and seed.

    Nine to eleven of seventeen, at least one before noon and one after; none on the closed weekday. Roughly one
    open day in twelve is full, so that the agent has to say no now and then.
    """
    noise = _digest("slots", seed, day.isoformat())
    if not is_open(day) or (noise[31] < 21 and day.weekday() != 5):
        return ()
    starts = [time(9 + half // 2, 30 * (half % 2)) for half in range(17)]
    ranked = sorted(starts, key=lambda start: _digest("slot", seed, day, start))
    picked = set(ranked[: 9 + noise[0] % 3])
    picked.add(next(start for start in ranked if start.hour < 12))
    picked.add(next(start for start in ranked if start.hour >= 13))
    return tuple(sorted(picked))


def next_day_with_slots(after: date, *, seed: int = 0) -> date:
    """The first day later than `after` that has a free slot (looks at most a fortnight ahead)."""
    for ahead in range(1, 15):
        day = after + timedelta(days=ahead)
        if free_slots(day, seed=seed):
            return day
    return after + timedelta(days=1)


def nearest(slots: Iterable[time], wanted: time, count: int = 3) -> tuple[time, ...]:
    """The `count` slots closest to `wanted`, in order of the clock."""
    closest = sorted(slots, key=lambda slot: abs(_minutes(slot) - _minutes(wanted)))[:count]
    return tuple(sorted(closest))


def spread(slots: tuple[time, ...], count: int = 3) -> tuple[time, ...]:
    """At most `count` slots, taken over the whole day rather than from its start."""
    if len(slots) <= count:
        return slots
    step = (len(slots) - 1) / (count - 1)
    return tuple(slots[round(index * step)] for index in range(count))


def _minutes(moment: time) -> int:
    return moment.hour * 60 + moment.minute


_CODE = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TAIL = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def receipt(day: date, *, key: str) -> str:
    """An M-Pesa receipt number: year letter (2024 = S), month letter, day, then seven that depend on `key`."""
    year = _CODE[9 + (day.year - 2024 + 18) % 26]
    month = _CODE[9 + day.month - 1]
    tail = "".join(_TAIL[byte % len(_TAIL)] for byte in _digest("receipt", key)[:7])
    return year + month + _CODE[day.day - 1] + tail
