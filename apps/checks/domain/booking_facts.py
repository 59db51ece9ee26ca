"""Compare the agent's words about slots with the tools' results: facts first, before any judge is asked.

Tool results that name times are slots that exist; a call that books (book, reserve, schedule, create_appointment …) and
is answered, and not with an error, is a booking. What the agent confirms is found as the offline rules find it, in
English, Swahili (saa nne is ten o'clock) and Italian. Times are sets of minutes of the day: two agree when they meet.
"Certainly wrong" is said only of words that state a booking; measured on people's dialogues it accuses nobody
(docs/metrics.md).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from apps.core.dialogue.clock import Time, times
from apps.core.dialogue.confirmation import confirmed_times
from apps.core.dialogue.transcript import SpokenTurn, Transcript

BOOKS = re.compile(r"book|reserv|schedul|appointment|prenot|weka|create_event|confirm_slot", re.IGNORECASE)
NOT_BOOKING = re.compile(r"cancel|list|find|search|check|avail|get|slots|lookup|query|status|delete", re.IGNORECASE)
_REFUSED = re.compile(r"\b(?:error|failed|failure|unavailable|conflict|not available|already taken|rejected)\b", re.I)
_BAD_WORDS = frozenset({"error", "failed", "failure", "rejected", "unavailable", "conflict", "declined"})
_NO_START = re.compile(
    r"(?:^|_)(?:end|ends|until|to|closes?|closing|opens?|opening|duration|created|updated)(?:_|$)", re.I
)
_NOTHING = frozenset({"", "[]", "{}", "null", "None"})  # nobody knows whether that is a booking
_ISO = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing found: in which turn, in whose words, and what about it."""

    turn: int
    quote: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BookingFacts:
    """Facts about a booking.

    `settled` True: the tools confirm all times that the agent offered or confirmed. False: they contradict some
    (`wrong`). None: they cannot decide (`open`); `known` are sentences for a judge. `spoken` False: the agent names no
    time at all.
    """

    settled: bool | None
    spoken: bool
    wrong: tuple[Remark, ...] = ()
    open: tuple[Remark, ...] = ()
    sound: tuple[Remark, ...] = ()
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Result:
    """The facts of one tool result: `booking` with its times, a refused one, or a list of times that exist."""

    turn: int
    tool: str
    times: tuple[Time, ...]
    days: frozenset[date] = frozenset()
    booking: bool = False
    refused: bool = False


def booking_facts(turns: Sequence[Mapping[str, Any]]) -> BookingFacts:
    """Read one conversation. Pure; linear in the text."""
    results = list(_results(turns))
    transcript = Transcript(turns)
    customer = [time for turn in transcript.customer for time in turn.times]
    wrong, doubts, sound = list[Remark](), list[Remark](), list[Remark]()
    for turn in transcript.agent:
        for time in turn.times:
            kind, why = _about(turn, time, results, customer)
            if kind is not None:
                {True: sound, False: wrong, "open": doubts}[kind].append(Remark(turn.index, _sentence(turn, time), why))
    spoken = any(turn.times for turn in transcript.agent)
    decided = False if wrong else (True if sound and not doubts else None)
    return BookingFacts(
        settled=decided,
        spoken=spoken,
        wrong=tuple(wrong),
        open=tuple(doubts),
        sound=tuple(sound),
        known=tuple(map(_sentence_of, results)),
    )


def _about(
    turn: SpokenTurn, time: Time, results: Sequence[_Result], customer: Sequence[Time]
) -> tuple[bool | Literal["open"] | None, str]:
    """True sound, False certainly wrong, "open" nobody knows, None not about a slot; and why."""
    confirmed = _confirms(turn, time)
    last = next((result for result in reversed(results) if result.turn < turn.index), None)
    if confirmed and last is not None and last.refused:
        return False, f"confirmed although {last.tool} was refused"
    if any(time.agrees(other) for result in results for other in result.times):
        other_day = confirmed and last is not None and last.booking and _another_day(turn, last)
        return (
            (False, f"confirmed for another day than {_dates(last)}")
            if other_day and last
            else (True, "as the tools say")
        )
    if confirmed and last is not None and last.booking and last.times:
        return False, f"confirmed, but {last.tool} booked {_clock_times(last.times)}"
    asked_for = any(time.agrees(other) for other in customer)
    if confirmed and not asked_for and any(result.times for result in results if result.turn < turn.index):
        return False, "confirmed, and neither a tool result nor the customer ever named this time"
    if confirmed:
        return "open", "confirmed, and no tool result names this time"
    if asked_for or turn.has("agent.unavailable"):
        return None, ""
    return "open", "named by the agent, and by no tool result"


def _confirms(turn: SpokenTurn, time: Time) -> bool:
    """The sentence that names the time states that it is booked: by its words, and not as a question."""
    for sentence in turn.sentences:
        if sentence.start <= time.start < sentence.end:
            return (
                not sentence.asks
                and turn.within("agent.confirmed", sentence)
                and time in confirmed_times(turn, chosen=True)
            )
    return False


def _another_day(turn: SpokenTurn, booking: _Result) -> bool:
    weekdays = {day.weekday() for day in booking.days}
    return bool(weekdays) and len(turn.weekdays) == 1 and turn.weekdays.isdisjoint(weekdays)


def _results(turns: Sequence[Mapping[str, Any]]) -> Iterator[_Result]:
    calls = {str(call.get("id")): call for turn in turns for call in turn.get("tool_calls") or () if call.get("id")}
    for number, turn in enumerate(turns):
        if turn.get("role") == "tool":
            call = calls.get(str(turn.get("tool_call_id") or ""), {"name": turn.get("name") or ""})
            result = _result(number, call, str(turn.get("content") or ""))
            if result is not None:
                yield result


def _result(number: int, call: Mapping[str, Any], content: str) -> _Result | None:
    name, data = str(call.get("name") or "a tool"), _json(content)
    value = content if data is None else data
    if not _books(call):
        slots, _ = _times_in(value, ends=True)
        return _Result(number, name, tuple(slots)) if slots else None
    if _is_refusal(data, content):
        return _Result(number, name, (), booking=True, refused=True)
    if content.strip() in _NOTHING:
        return _Result(number, name, (), booking=True)
    slots, days = _times_in(value)
    if not slots:
        slots, more = _times_in(call.get("arguments") or {})
        days |= more
    return _Result(number, name, tuple(slots), frozenset(days), booking=True)


def _sentence_of(result: _Result) -> str:
    if result.refused:
        return f"{result.tool} was refused (turn {result.turn})."
    if result.booking:
        on = f" on {_dates(result)}" if result.days else ""
        return f"{result.tool} booked {_clock_times(result.times) or 'no named time'}{on} (turn {result.turn})."
    return f"{result.tool} lists these times: {_clock_times(result.times)} (turn {result.turn})."


def _dates(result: _Result) -> str:
    return ", ".join(map(str, sorted(result.days)))


def _books(call: Mapping[str, Any]) -> bool:
    name = str(call.get("name") or "")
    return bool(BOOKS.search(name)) and not NOT_BOOKING.search(name)


def _is_refusal(data: Any, content: str) -> bool:
    if not isinstance(data, Mapping):
        return bool(_REFUSED.search(content))
    if data.get("error") or data.get("errors"):
        return True
    if any(data.get(key) is False for key in ("ok", "success", "booked", "confirmed")):
        return True
    return str(data.get("status") or data.get("state") or "").lower() in _BAD_WORDS


def _times_in(value: Any, *, ends: bool = False) -> tuple[list[Time], set[date]]:
    """Times and dates in every text of a JSON value; `ends` takes the ends of spans too."""
    slots, days = list[Time](), set[date]()
    for text in _texts(value, ends=ends):
        for match in _ISO.finditer(text):
            try:
                days.add(date.fromisoformat(match[1]))
            except ValueError:
                continue
            if match[2]:
                minute = int(match[2]) * 60 + int(match[3])
                slots.append(Time(match.start(), match.end(), frozenset({minute})))
        slots.extend(times(_ISO.sub(" ", text)))
    return slots, days


def _texts(value: Any, key: str = "", *, ends: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, str(name), ends=ends)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item, key, ends=ends)
    elif isinstance(value, str) and (ends or not _NO_START.search(key)):
        yield value


def _json(content: str) -> Any:
    try:
        document = json.loads(content)
    except ValueError:
        return None
    return document if isinstance(document, dict | list) else None


def _clock_times(slots: Sequence[Time]) -> str:
    """Clock times, of two readings the one by day: at most twelve."""
    minutes = list(dict.fromkeys(min(time.minutes, key=lambda at: (not 420 <= at < 1140, at)) for time in slots))
    shown = ", ".join(f"{minute // 60:02d}:{minute % 60:02d}" for minute in minutes[:12])
    return f"{shown} …" if len(minutes) > 12 else shown


def _sentence(turn: SpokenTurn, time: Time) -> str:
    for sentence in turn.sentences:
        if sentence.start <= time.start < sentence.end:
            return turn.text[sentence.start : sentence.end].strip()
    return turn.text[time.start : time.end]
