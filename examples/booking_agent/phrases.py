"""The facts of a conversation as words in its language: what fills the phrases in."""

from collections.abc import Iterable
from datetime import date, time

from examples.booking_agent.calendar_words import SW_HOURS, day_label, join_choices, short_day, time_label
from examples.booking_agent.language import Language
from examples.booking_agent.memory import Memory
from examples.booking_agent.phrase_sets import PhraseSet
from examples.booking_agent.salon import PLACE, SERVICES, Service
from examples.booking_agent.speech import phrases_for


def price_label(kes: int) -> str:
    """`KES 3,500`."""
    return f"KES {kes:,}"


def service_name(service: Service, language: Language) -> str:
    """What the service is called in a sentence of that language."""
    if language is Language.MIXED:
        return service.english.removeprefix("a ")
    return service.swahili if language is Language.SWAHILI else service.english


def service_words(service: Service, language: Language) -> dict[str, str]:
    """A service's name, verbs that agree with it, its price and its length."""
    name = service_name(service, language)
    many = service.plural
    return {
        "service": name,
        "Service": name[:1].upper() + name[1:],
        "be": "are" if many else "is",
        "go": "go" if many else "goes",
        "take": "take" if many else "takes",
        "will": "will",
        "price": price_label(service.price_kes),
        "hours": hours_label(service.minutes, language),
    }


def booking_words(
    memory: Memory, language: Language, *, stiff: bool, phrase_set: PhraseSet = PhraseSet.BASELINE
) -> dict[str, str]:
    """All that is known of the booking, ready to fill a phrase in."""
    words = {"place": PLACE, "vocative": f", {memory.name.split()[0]}" if memory.name else ""}
    if memory.service:
        words |= service_words(SERVICES[memory.service], language)
    if memory.day:
        words |= {"day": day_label(memory.day, language), "weekday": short_day(memory.day, language)}
    moment = memory.booked_time or memory.time
    if moment:
        words["time"] = time_label(moment, language)
    ending = {"digits": memory.phone[-3:]} if memory.phone else {}
    phone = phrases_for("number_ending" if ending else "your_phone", language, stiff=stiff, phrase_set=phrase_set)[0]
    words["phone"] = phone.format(**ending)
    return words


def slot_words(day: date, slots: Iterable[time], language: Language) -> dict[str, str]:
    """A day and its times as a choice."""
    return {
        "day": day_label(day, language),
        "slots": join_choices([time_label(slot, language) for slot in slots], language),
    }


def option_words(keys: Iterable[str], language: Language, *, priced: bool) -> str:
    """Services as a choice, with their prices unless told otherwise."""
    names = []
    for key in keys:
        service = SERVICES[key]
        at = {"en": "at", "sw": "kwa", "mix": "at"}[language]
        price = f" {at} {price_label(service.price_kes)}" if priced else ""
        names.append(service_name(service, language) + price)
    return join_choices(names, language)


def hours_label(minutes: int, language: Language) -> str:
    """`45 minutes`, `2 and a half hours`, `saa mbili na nusu`."""
    whole, rest = divmod(minutes, 60)
    if language is Language.SWAHILI:
        if whole and rest in (0, 30):
            return f"saa {SW_HOURS[whole]}{' na nusu' if rest else ''}"
        return f"dakika {minutes}"
    if whole and rest in (0, 30):
        if minutes == 60:
            return "an hour"
        return f"{whole} and a half hours" if rest else f"{whole} hours"
    return f"{minutes} minutes"
