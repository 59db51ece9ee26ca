"""Find the recorded call that answers a request, or the differences from the nearest one."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pytest_ratiba.recording.canonical import CanonicalRequest
from pytest_ratiba.recording.entries import RecordedCall
from pytest_ratiba.recording.moments import DatedText, Moment, all_same, first_difference, shifts, template

_MISSING = object()
MAX_SHOWN, CONTEXT = 4, 40


@dataclass(frozen=True, kw_only=True)
class Rules:
    """These switches turn the rules about time on or off."""

    timestamps: bool = True
    dates: bool = True


@dataclass(frozen=True, kw_only=True)
class RequestDifference:
    """One place at which two requests are not the same. `path` is a JSONPath into the canonical request."""

    path: str
    recorded: str
    sent: str


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A request cut into what has to be equal and what may move with the clock."""

    text: str
    moments: tuple[Moment, ...]
    at: datetime

    @classmethod
    def of(cls, request: CanonicalRequest, *, at: datetime, rules: Rules) -> "Outline":
        """Cost: about 1 ms for a chat request of 20 KB."""
        text = "\x00".join(_flat(request.as_json(), "$"))
        cut, moments = template(text, now=at, timestamps=rules.timestamps, dates=rules.dates)
        return cls(text=cut, moments=moments, at=at)

    def matches(self, later: "Outline") -> bool:
        """Whether the other is the same request at another time."""
        if self.text != later.text:
            return False
        elapsed = (later.at - self.at).total_seconds()
        return any(
            all_same(self.moments, later.moments, elapsed_s=elapsed, shift=days) for days in shifts(self.at, later.at)
        )


def differences(
    recorded: CanonicalRequest, sent: CanonicalRequest, *, recorded_at: datetime, sent_at: datetime, rules: Rules
) -> list[RequestDifference]:
    """List the differences of the two requests, in the order of the paths.
    Of the shifts of days, the one that explains most is taken: the one with the fewest differences, and among equals
    the one whose differences begin the furthest behind."""
    elapsed = (sent_at - recorded_at).total_seconds()
    best: tuple[tuple[int, int], list[RequestDifference]] | None = None
    for days in shifts(recorded_at, sent_at):
        found, begin = list[RequestDifference](), 0
        for path, before, after in _pairs(recorded.as_json(), sent.as_json(), "$"):
            one = template(before, now=recorded_at, timestamps=rules.timestamps, dates=rules.dates)
            other = template(after, now=sent_at, timestamps=rules.timestamps, dates=rules.dates)
            if one[0] != other[0] or not all_same(one[1], other[1], elapsed_s=elapsed, shift=days):
                sides = DatedText(before, recorded_at), DatedText(after, sent_at)
                at = first_difference(*sides, timestamps=rules.timestamps, dates=rules.dates, shift=days)
                found.append(RequestDifference(path=path, recorded=_around(before, at[0]), sent=_around(after, at[1])))
                begin += at[0]
        if best is None or (len(found), -begin) < best[0]:
            best = (len(found), -begin), found
    return best[1] if best else []


def nearest(
    calls: Sequence[RecordedCall], sent: CanonicalRequest, *, used: Collection[int], at: datetime, rules: Rules
) -> tuple[RecordedCall, list[RequestDifference]] | None:
    """The recorded call with the fewest differences; of several one that was not used yet, then the earlier."""
    ranked = []
    for call in calls:
        found = differences(call.request, sent, recorded_at=call.at, sent_at=at, rules=rules)
        apart = sum(1 for one in found if one.path in ("$.upstream", "$.path", "$.method"))
        ranked.append(((apart, len(found), call.number in used, call.number), call, found))
    if not ranked:
        return None
    _, call, found = min(ranked, key=lambda row: row[0])
    return call, found


def _pairs(before: Any, after: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """(path, recorded, sent) of each leaf that is not literally the same."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            inner = f"{path}.{key}" if key.isidentifier() else f"{path}['{key}']"
            yield from _pairs(before.get(key, _MISSING), after.get(key, _MISSING), inner)
    elif isinstance(before, list) and isinstance(after, list):
        for number in range(max(len(before), len(after))):
            one = before[number] if number < len(before) else _MISSING
            other = after[number] if number < len(after) else _MISSING
            yield from _pairs(one, other, f"{path}[{number}]")
    elif type(before) is not type(after) or before != after:
        yield path, _shown(before), _shown(after)


def _flat(value: Any, path: str) -> Iterator[str]:
    """Each leaf with its place; texts as they are, so that a line's end before a date does not hide it."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _flat(value[key], f"{path}.{key}")
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _flat(item, f"{path}[{number}]")
    else:
        yield f"{path} {type(value).__name__} {_shown(value)}"


def _shown(value: Any) -> str:
    if value is _MISSING:
        return "(nothing)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _around(text: str, at: int) -> str:
    left, right = max(0, at - CONTEXT), min(len(text), at + 2 * CONTEXT)
    return ("…" if left else "") + text[left:right] + ("…" if right < len(text) else "")


def difference_lines(differing: Sequence[RequestDifference]) -> list[str]:
    """Lines for a person: each path with both sides, the first MAX_SHOWN."""
    lines = []
    for one in differing[:MAX_SHOWN]:
        lines += [f"  {one.path}", f"    recorded: {one.recorded!r}", f"    sent:     {one.sent!r}"]
    if len(differing) > MAX_SHOWN:
        lines.append(f"  … and {len(differing) - MAX_SHOWN} more")
    return lines
