"""What tools say about slots, and whether the agent said the same: facts first, before any judge is asked.

Tool results that name times are slots that exist; a call that books (book, reserve, schedule, create_appointment …) and
does not answer with an error is a booking. What the agent confirms is found as the offline rules find it, in English,
Swahili (saa nne is ten o'clock) and Italian. Times are sets of minutes of the day: two agree when they meet.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from apps.connectors.llms.offline_rules.clock import Time, times
from apps.connectors.llms.offline_rules.confirmation import confirmed_times
from apps.connectors.llms.offline_rules.transcript import Transcript, Turn

BOOKS = re.compile(r"book|reserv|schedul|appointment|prenot|weka|create_event|confirm_slot", re.IGNORECASE)
NOT_BOOKING = re.compile(r"cancel|list|find|search|check|avail|get|slots|lookup|query|status|delete", re.IGNORECASE)
CANCELS = re.compile(r"cancel|delete", re.IGNORECASE)
_REFUSED = re.compile(r"\b(?:error|failed|failure|unavailable|conflict|not available|already taken|rejected)\b", re.I)
_BAD_WORDS = frozenset({"error", "failed", "failure", "rejected", "unavailable", "conflict", "declined"})
_NO_START = re.compile(
    r"(?:^|_)(?:end|ends|until|to|closes?|closing|opens?|opening|duration|created|updated)(?:_|$)", re.I
)
_ISO = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing found: in which turn, in whose words, and what about it."""

    turn: int
    quote: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BookingFacts:
    """`settled` True: everything the agent offered and confirmed is what the tools say. False: something certainly is
    not (`wrong`). None: facts do not decide (`open`); `known` are sentences for a judge. `spoken` False: nobody speaks
    of slots at all."""

    settled: bool | None
    spoken: bool
    wrong: tuple[Remark, ...] = ()
    open: tuple[Remark, ...] = ()
    sound: tuple[Remark, ...] = ()
    known: tuple[str, ...] = ()


@dataclass(slots=True)
class _Heard:
    listed: list[Time] = field(default_factory=list)
    booked: list[Time] = field(default_factory=list)
    days: set[date] = field(default_factory=set)
    refused: bool = False
    books: bool = False  # a booking tool was called
    customer: list[Time] = field(default_factory=list)
    known: list[str] = field(default_factory=list)


def booking_facts(turns: Sequence[Mapping[str, Any]]) -> BookingFacts:
    """Read one conversation. Pure; linear in the text."""
    heard, wrong, doubts, sound = _Heard(), list[Remark](), list[Remark](), list[Remark]()
    spoken = {turn.index: turn for turn in Transcript(turns).turns}
    calls = {str(call.get("id")): call for turn in turns for call in turn.get("tool_calls") or () if call.get("id")}
    said_times = False
    for number, turn in enumerate(turns):
        if turn.get("role") == "tool":
            call = calls.get(str(turn.get("tool_call_id") or ""), {"name": turn.get("name") or ""})
            _read_result(heard, call, str(turn.get("content") or ""))
        heard.books = heard.books or any(_books(call) for call in turn.get("tool_calls") or ())
        words = spoken.get(number)
        if words is None:
            continue
        if words.role == "user":
            heard.customer.extend(words.times)
            continue
        said_times = said_times or bool(words.times)
        _check(words, heard, wrong, doubts, sound)
    about = said_times or bool(heard.known)
    decided = False if wrong else (True if sound and not doubts else None)
    return BookingFacts(
        settled=decided, spoken=about, wrong=tuple(wrong), open=tuple(doubts), sound=tuple(sound),
        known=tuple(heard.known),
    )  # fmt: skip


def _check(turn: Turn, heard: _Heard, wrong: list[Remark], doubts: list[Remark], sound: list[Remark]) -> None:
    confirmed = confirmed_times(turn, chosen=bool(heard.customer))
    for time in confirmed:
        remark = _about_confirmed(turn, time, heard)
        (sound if remark is None else wrong if remark[0] else doubts).append(
            Remark(turn.index, _sentence(turn, time), "as booked" if remark is None else remark[1])
        )
    if confirmed or turn.has("agent.unavailable") or not heard.listed:
        return
    known = [*heard.listed, *heard.booked, *heard.customer]
    for time in turn.times:
        listed = any(time.agrees(other) for other in known)
        remark_ = Remark(turn.index, _sentence(turn, time), "as listed" if listed else "no tool result lists this time")
        (sound if listed else doubts).append(remark_)


def _about_confirmed(turn: Turn, time: Time, heard: _Heard) -> tuple[bool, str] | None:
    """None when a booking says the same; else whether it is certainly wrong, and why."""
    if heard.booked:
        if not any(time.agrees(other) for other in heard.booked):
            return True, f"confirmed, but booked was {_shown(heard.booked)}"
        weekdays = {day.weekday() for day in heard.days}
        if weekdays and len(turn.weekdays) == 1 and not turn.weekdays & weekdays:
            return True, f"confirmed for another day than was booked ({', '.join(map(str, sorted(heard.days)))})"
        return None
    if heard.refused:
        return True, "confirmed although the booking was refused"
    if heard.listed and not any(time.agrees(other) for other in heard.listed):
        return True, f"confirmed, but the tools list {_shown(heard.listed)}"
    if heard.books:
        return False, "confirmed, and what the booking tool answered names no time"
    return False, "confirmed without any booking among the tool calls"


def _read_result(heard: _Heard, call: Mapping[str, Any], content: str) -> None:
    name = str(call.get("name") or "")
    data = _json(content)
    if CANCELS.search(name):
        heard.booked, heard.days = [], set()
        return
    if _books(call):
        heard.books = True
        if _is_refusal(data, content):
            heard.refused = True
            heard.known.append(f"{name} was refused: {content[:200]}")
            return
        found, days = _times_in(data if data is not None else content)
        if not found:
            found, more = _times_in(call.get("arguments") or {})
            days |= more
        heard.booked, heard.days, heard.refused = found, days, False
        if found:
            on = f" on {', '.join(map(str, sorted(days)))}" if days else ""
            heard.known.append(f"{name} booked {_shown(found)}{on}.")
        return
    found, _ = _times_in(data if data is not None else content)
    if found:
        heard.listed.extend(found)
        heard.known.append(f"{name or 'a tool'} lists these times: {_shown(found)}.")


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


def _times_in(value: Any) -> tuple[list[Time], set[date]]:
    found, days = list[Time](), set[date]()
    for text in _texts(value):
        bare = text
        for match in _ISO.finditer(text):
            try:
                days.add(date.fromisoformat(match[1]))
            except ValueError:
                continue
            if match[2]:
                minute = int(match[2]) * 60 + int(match[3])
                found.append(Time(match.start(), match.end(), frozenset({minute})))
        bare = _ISO.sub(" ", bare)
        found.extend(times(bare))
    return found, days


def _texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, str(name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item, key)
    elif isinstance(value, str) and not _NO_START.search(key):
        yield value


def _json(content: str) -> Any:
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict | list) else None


def _shown(found: Sequence[Time]) -> str:
    """Clock times, the earlier reading of each: at most twelve."""
    minutes = list(dict.fromkeys(min(time.minutes) for time in found))
    shown = ", ".join(f"{minute // 60:02d}:{minute % 60:02d}" for minute in minutes[:12])
    return f"{shown} …" if len(minutes) > 12 else shown


def _sentence(turn: Turn, time: Time) -> str:
    for one in turn.sentences:
        if one.start <= time.start < one.end:
            return turn.text[one.start : one.end].strip()
    return turn.text[time.start : time.end]
