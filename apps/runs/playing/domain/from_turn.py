"""A battle that begins as an earlier one did, and goes its own way from one turn on. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from apps.core.errors import BadInput

MIN_LEFT = 4  # messages that are played after the lines that are said again, whatever the scenario's limit


def lines_before(turns: Sequence[Mapping[str, Any]], turn: int) -> list[str]:
    """The customer's lines before the turn at that position (from 0). Raises BadInput (`/turn`) where there is no such
    turn, or the customer had said nothing before it."""
    if not 0 <= turn < len(turns):
        raise BadInput(f"there is no turn {turn}: the conversation has turns 0 to {len(turns) - 1}", pointer="/turn")
    lines = [str(one.get("content") or "") for one in turns[:turn] if one.get("role") == "user"]
    if not lines:
        raise BadInput(
            f"the customer said nothing before turn {turn}: play the whole conversation again", pointer="/turn"
        )
    return lines


def spec_from_turn(spec: Mapping[str, Any], lines: Sequence[str], *, conversation: str, turn: int) -> dict[str, Any]:
    """Return the frozen spec of a battle whose customer says these lines word for word first.

    Then it goes on as the scenario has it: by the rest of its script, else in the persona's own words. Files go with
    the lines they went with; `continues` says what it begins like.
    """
    script = dict(spec.get("script") or {})
    written = list(script.get("turns") or ())
    opening = str(spec.get("opening") or "")
    again = list(lines[1:] if opening else lines)
    spoken = [
        {"say": text, **({"attachments": entry["attachments"]} if entry and entry.get("attachments") else {})}
        for text, entry in zip(again, _each(written), strict=False)
    ]
    rest = _after(written, len(again))
    limit = max(int(spec.get("max_turns") or 20), 2 * len(lines) + MIN_LEFT)
    return {
        **spec,
        "opening": lines[0] if opening else "",
        "script": {**script, "turns": [*spoken, *rest]},
        "max_turns": limit,
        "continues": {"conversation": conversation, "turn": turn},
    }


def _each(written: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any] | None]:
    """The script's entry of each customer turn; None behind its end, for ever."""
    for entry in written:
        yield from [entry] * int(entry.get("free") or 1)
    while True:
        yield None


def _after(written: Sequence[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    """The rest of the script after this many customer turns; a stretch of free turns is cut."""
    left: list[Mapping[str, Any]] = []
    for entry in written:
        if left or not count or "end" in entry:
            left.append(entry)
            continue
        length = int(entry.get("free") or 1)
        if length > count:
            left.append({"free": length - count})
        count = max(0, count - length)
    return left
