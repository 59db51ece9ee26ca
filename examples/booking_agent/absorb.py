"""Taking in what the customer said: fills and changes the booking in memory. Says nothing itself."""

import re
from datetime import date

from examples.booking_agent import salon
from examples.booking_agent.calendar_words import in_period
from examples.booking_agent.memory import Memory, Payment
from examples.booking_agent.understanding import Asked, Heard, Intent


def absorb(memory: Memory, heard: Heard, *, seed: int, today: date) -> bool:
    """Take a message in. True when it changed something that was already booked (which is then to be booked anew)."""
    parting = memory.settled and bool(heard.intents & {Intent.GOODBYE, Intent.THANKS})
    memory.phone = heard.phone or memory.phone
    memory.name = heard.name if heard.name and (memory.asked is Asked.NAME or not memory.name) else memory.name
    memory.hurried = memory.hurried or Intent.HURRY in heard.intents
    if not memory.booked:
        _preference(memory, heard)
    if parting:
        return False
    before = (memory.service, memory.day, memory.booked_time)
    _service(memory, heard)
    _day(memory, heard, seed=seed, today=today)
    _time(memory, heard)
    if memory.asked is Asked.NAME and not memory.name and memory.asks.get(Asked.NAME, 0) >= 2:
        memory.name_given_up = True
    moved = memory.booked and (
        (memory.service, memory.day) != before[:2] or (memory.wanted_time not in (None, before[2]))
    )
    if memory.booked and not moved:
        memory.wanted_time = None
    if moved:
        memory.booked, memory.booked_time = False, None
    return moved


def _preference(memory: Memory, heard: Heard) -> None:
    """How they want to pay, said before it was asked."""
    if Intent.CASH in heard.intents:
        memory.prefers = Payment.AT_SALON
    elif re.search(r"m-?pesa", heard.text, re.IGNORECASE):
        memory.prefers = Payment.PUSHED


def _service(memory: Memory, heard: Heard) -> None:
    if heard.service and heard.service != memory.service:
        memory.service, memory.family, memory.said_price = heard.service, None, False
        return
    if memory.service:
        return
    if heard.family:
        memory.family = heard.family
    elif memory.family and memory.asked is Asked.SERVICE:
        options = salon.FAMILIES[memory.family]
        tried = memory.asks.get(Asked.SERVICE, 0) >= 2
        if heard.yes or Intent.ANY in heard.intents or tried or "first" in heard.text.lower():
            memory.service = options[0]
        elif "second" in heard.text.lower() or "pili" in heard.text.lower():
            memory.service = options[1]


def _day(memory: Memory, heard: Heard, *, seed: int, today: date) -> None:
    day = heard.day
    if day is not None and day == memory.day and heard.declined and not memory.booked:
        memory.day = memory.time = None
        memory.offered = ()
        return
    up_to_us = Intent.ANY in heard.intents or memory.asks.get(Asked.DAY, 0) >= 3
    if day is None and memory.day is None and memory.asked is Asked.DAY and up_to_us:
        day = salon.next_day_with_slots(today, seed=seed)
    if day is not None and day != memory.day:
        if memory.time and heard.time is None and heard.period is None:
            memory.wanted_time = memory.time
        memory.day, memory.time, memory.offered = day, None, ()


def _time(memory: Memory, heard: Heard) -> None:
    if heard.period and heard.period != memory.period and not memory.time:
        memory.period = heard.period
        fitting = [slot for slot in memory.offered if in_period(slot, heard.period)]
        if heard.time is None and len(fitting) == 1:
            memory.wanted_time = fitting[0]
        elif not fitting or len(fitting) == len(memory.offered):
            memory.offered = () if not fitting else memory.offered
        else:
            memory.offered = tuple(fitting)
    if heard.time is not None:
        if heard.time != memory.booked_time and heard.time != memory.time:
            memory.wanted_time, memory.time = heard.time, None
        return
    if memory.asked is not Asked.TIME or memory.time or memory.wanted_time or not memory.offered:
        return
    if heard.ordinal is not None:
        memory.wanted_time = memory.offered[max(-1, min(heard.ordinal, len(memory.offered) - 1))]
    elif heard.no and heard.day is None:
        others = tuple(slot for slot in memory.slots if slot not in memory.offered)
        memory.offered = salon.spread(others) or memory.offered
    elif heard.yes and len(memory.offered) > 1:
        memory.offered = memory.offered[:1]  # "yes" to a choice of three: to be asked again as a yes or no
    elif Intent.ANY in heard.intents or heard.yes or memory.asks.get(Asked.TIME, 0) >= 5:
        memory.wanted_time = memory.offered[0]
