"""What a person should know of a golden session as it is kept: gates that changed, dates that stay,
patterns that are slow. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.core.pattern_probe import slow_pattern_warning
from apps.runs.domain.golden_dates import dates_left_in
from apps.runs.domain.golden_gates import GateProof

_SHOWN = 120


def release_notes(document: Mapping[str, Any], gates: Sequence[GateProof]) -> tuple[str, ...]:
    """A sentence for each gate whose pattern was replaced, for each date that stays while others move, and for each
    pattern that is slow on long replies."""
    return (*_gates(gates), *_dates(document), *_slow(document))


def _slow(document: Mapping[str, Any]) -> list[str]:
    return [
        f"/turns/{index}/wait_for_pattern: {warning}"
        for index, turn in enumerate(document.get("turns") or ())
        if turn.get("wait_for_pattern") and (warning := slow_pattern_warning(str(turn["wait_for_pattern"])))
    ]


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
