"""The turns of a conversation, once each, from all calls of its models.

Some agents send the whole history with every call, some their last message alone, some a summary in its place. So calls
are laid over each other by time: what of a call's messages stands at the end of what is there already is repeated, the
rest follows, and an answer is always new.

A router asks the same customer's words under other instructions, a guard looks at the reply. So each system text makes
a line of its own, whatever time of day it tells; the line with most messages is the conversation, and what another
line's customer says that nobody else was asked is put in by its time.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from apps.production.traces.domain.spans import TracedMessage

_LATEST = 253_402_300_799
_CHANGES = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|"
    r"october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|am|pm|lunedì|martedì|mercoledì|giovedì|"
    r"venerdì|sabato|domenica|jumatatu|jumanne|jumatano|alhamisi|ijumaa|jumamosi|jumapili)\b|[0-9a-f]{8}[0-9a-f-]{8,}|\d+"
)
_SUMMARY = re.compile(r"summar|so far|previous|earlier|history|memory|recap|riassunto|finora|muhtasari")


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCall:
    """One call of a model, as it is kept until its conversation is over."""

    span_id: str
    started_ns: int
    ended_ns: int
    system: str
    given: tuple[TracedMessage, ...]
    answered: tuple[TracedMessage, ...]


@dataclass(slots=True)
class _HistoryLine:
    messages: list[tuple[TracedMessage, int]]  # with the moment each was first met, in nanoseconds
    calls: int = 0
    last_ns: int = 0


def turns_of(calls: Sequence[TracedCall]) -> list[dict[str, Any]]:
    """The turns as the conversation document has them. Pure; the same for the same calls in any order. Empty where no
    call holds words of a customer."""
    lines: dict[str, _HistoryLine] = {}
    for call in _each_once(
        sorted(calls, key=lambda traced_call: (traced_call.started_ns, traced_call.ended_ns, traced_call.span_id))
    ):
        line = lines.setdefault(_line_of(call.system, lines), _HistoryLine(messages=[]))
        line.calls += 1
        line.last_ns = max(line.last_ns, call.started_ns)
        new = _new_part([message.key for message, _ in line.messages], call.given)
        line.messages += [(traced_message, call.started_ns) for traced_message in new]
        line.messages += [(one, call.ended_ns) for one in call.answered]
    held = [line for line in lines.values() if any(message.role == "user" for message, _ in line.messages)]
    if not held:
        return []
    replies = [{message.text for message, _ in line.messages if message.role == "assistant"} for line in held]
    chosen = max(
        range(len(held)),
        key=lambda n: (len(held[n].messages), not _reads_a_reply(held[n], replies, n), held[n].last_ns),
    )
    messages = list(held[chosen].messages)
    for n, line in enumerate(held):
        if n != chosen and not _reads_a_reply(line, replies, n) and _says_more(line, messages):
            known = {message.key for message, _ in messages}
            messages += [one for one in line.messages if one[0].key not in known]
            messages.sort(key=lambda message: message[1])
    return [_turn(message, at) for message, at in messages if message.text or message.calls]


def _each_once(calls: Sequence[TracedCall]) -> Iterator[TracedCall]:
    """Yield each call once.

    Left out are a second instrumentation of a call, and the same question asked at the same time. The first that began
    stays.
    """
    going: list[tuple[TracedCall, tuple[Any, ...]]] = []
    for call in calls:
        key = (*(message.key for message in call.given), None, *(one.key for one in call.answered))
        going = [(other, its) for other, its in going if other.ended_ns > call.started_ns]
        if not any(its == key for _, its in going):
            yield call
        going.append((call, key))


def _line_of(system: str, lines: Iterable[str]) -> str:
    """Return the line of a system text.

    Figures, days and months in it change by themselves, and a summary of what was said may stand behind it.
    """
    plain = _CHANGES.sub("#", system.lower()).strip()
    for other in lines:
        short, long = sorted((plain, other), key=len)
        if short and long.startswith(short) and _SUMMARY.search(long, len(short)):
            return other
    return plain


def _new_part(held: Sequence[Any], messages: Sequence[TracedMessage]) -> Sequence[TracedMessage]:
    """The messages given to a call that are not in its line yet."""
    keys = [message.key for message in messages]
    for length in range(min(len(held), len(keys)), 0, -1):
        tail = list(held[-length:])
        for at in range(len(keys) - length, -1, -1):
            if keys[at : at + length] == tail:
                return messages[at + length :]
    if len(messages) == 1:  # its last message alone, be it the words of an earlier one
        return messages
    place, last = 0, -1
    for n, key in enumerate(keys[:-1]):
        if key in held[place:]:
            place, last = list(held).index(key, place) + 1, n
    rest = list(messages[last + 1 :])
    if last >= 0:  # a history in which a message was written otherwise
        for key in held[place:]:
            if len(rest) > 1 and rest[0].role == key[0]:
                rest.pop(0)
    return rest


def _says_more(line: _HistoryLine, messages: Sequence[tuple[TracedMessage, int]]) -> bool:
    """Tell whether its customer says what nobody else was asked.

    Neither the same words, nor words around them or within.
    """
    others = [message.text.strip() for message, _ in messages if message.text.strip()]
    own = [message.text.strip() for message, _ in line.messages if message.role == "user"]
    return all(text and not any(text in other or other in text for other in others) for text in own[-1:])


def _reads_a_reply(line: _HistoryLine, replies: list[set[str]], own: int) -> bool:
    """Tell whether its customer's first words are another line's reply: a guard that looks at what was answered."""
    first = next(message.text for message, _ in line.messages if message.role == "user")
    return any(reply and reply in first for n, texts in enumerate(replies) if n != own for reply in texts)


def _turn(message: TracedMessage, at_ns: int) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": message.text}
    if 0 < at_ns // 1_000_000_000 <= _LATEST:
        turn["ts"] = datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat()
    if message.calls:
        turn["tool_calls"] = [_call(*call) for call in message.calls]
    if message.answers:
        turn["tool_call_id"] = message.answers
    return turn


def _call(id: str, name: str, given: Any) -> Mapping[str, Any]:
    arguments = given if isinstance(given, Mapping) else {} if given in (None, "") else {"value": given}
    return {**({"id": id} if id else {}), "name": name or "unnamed", "arguments": arguments}
