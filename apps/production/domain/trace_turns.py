"""The turns of a conversation, once each, from calls that repeat the whole history every time.

Calls are sorted by their start, so that the order in which they came does not matter. Each system text is a line of its
own: a router asks the same customer's words under other instructions. Within a line what a call holds is laid over what
the line holds already, with the longest overlap; the line with most messages is the conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from apps.production.domain.trace_spans import TracedMessage

_LATEST = 253_402_300_799


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
    one_line = len({call.system for call in calls}) == 1
    for call in sorted(calls, key=lambda one: (one.started_ns, one.ended_ns, one.span_id)):
        line = lines.setdefault(call.system, _HistoryLine(messages=[]))
        new = [(one, call.started_ns) for one in call.given] + [(one, call.ended_ns) for one in call.answered]
        line.calls += 1
        line.last_ns = max(line.last_ns, call.started_ns)
        _lay_over(line, new, appended=one_line)
    held = [line for line in lines.values() if any(message.role == "user" for message, _ in line.messages)]
    if not held:
        return []
    replies = [{message.text for message, _ in line.messages if message.role == "assistant"} for line in held]
    chosen = max(
        range(len(held)),
        key=lambda n: (len(held[n].messages), not _reads_a_reply(held[n], replies, n), held[n].last_ns),
    )
    return [_turn(message, at) for message, at in held[chosen].messages if message.text or message.calls]


def _lay_over(line: _HistoryLine, new: list[tuple[TracedMessage, int]], *, appended: bool) -> None:
    """`appended`: nobody else speaks, so that what does not overlap follows (an agent that sends its last message
    alone)."""
    held = [message.key for message, _ in line.messages]
    keys = [message.key for message, _ in new]
    for length in range(min(len(held), len(keys)), 0, -1):
        if held[-length:] == keys[:length]:
            line.messages += new[length:]
            return
    if not line.messages or appended:
        line.messages += new


def _reads_a_reply(line: _HistoryLine, replies: list[set[str]], own: int) -> bool:
    """Whether its customer's first words are another line's reply: a guard that looks at what was answered."""
    first = next(message.text for message, _ in line.messages if message.role == "user")
    return any(reply and reply in first for n, texts in enumerate(replies) if n != own for reply in texts)


def _turn(message: TracedMessage, at_ns: int) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": message.text}
    if 0 < at_ns // 1_000_000_000 <= _LATEST:
        turn["ts"] = datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat()
    if message.calls:
        turn["tool_calls"] = [_call(*one) for one in message.calls]
    if message.answers:
        turn["tool_call_id"] = message.answers
    return turn


def _call(id: str, name: str, given: Any) -> Mapping[str, Any]:
    arguments = given if isinstance(given, Mapping) else {} if given in (None, "") else {"value": given}
    return {**({"id": id} if id else {}), "name": name or "unnamed", "arguments": arguments}
