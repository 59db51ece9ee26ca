"""What a person should know of a golden session as it is kept: gates that changed, dates that stay. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.runs.domain.golden_dates import dates_left_in
from apps.runs.domain.golden_gates import GateProof

_SHOWN = 120


def release_notes(document: Mapping[str, Any], gates: Sequence[GateProof]) -> tuple[str, ...]:
    """A sentence for each gate whose pattern was replaced, and for each date that stays while others move."""
    return (*_gates(gates), *_dates(document))


def _gates(gates: Sequence[GateProof]) -> list[str]:
    return [
        f"/turns/{one.position}/wait_for_pattern: “{one.replaces[:_SHOWN]}” does not tell this reply from earlier "
        f"ones: the gate is “{one.pattern[:_SHOWN]}” now"
        for one in gates
        if one.narrowed
    ]


def _dates(document: Mapping[str, Any]) -> list[str]:
    if not any(one.get("kind") == "date" for one in (document.get("variables") or {}).values()):
        return []
    return [
        f"/turns/{index}/content: {date!r} stays as it is, while other dates of the session move with the day it is "
        "played on"
        for index, turn in enumerate(document.get("turns") or ())
        for date in dict.fromkeys(dates_left_in(str(turn.get("content") or "")))
    ]
