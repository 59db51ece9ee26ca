"""Notes for people on a golden session as it is kept: gates that changed, dates that stay, patterns that are slow.
Pure."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from apps.core.pattern_probe import slow_pattern_warning
from apps.runs.goldens.domain.dates import dates_in, dates_left_in
from apps.runs.goldens.domain.gates import GateProof
from apps.runs.goldens.domain.variables import needed_of_an_identity, own_day

_SHOWN = 120
_SOME_DAY = date(2026, 1, 1)  # only whether something is a date is asked


def release_notes(document: Mapping[str, Any], gates: Sequence[GateProof]) -> tuple[str, ...]:
    """Return the notes on a release, a sentence each.

    There is one for each gate whose pattern was replaced, for each date that stays while others move, for each pattern
    that is slow on long replies, and for what a replay needs of a test identity.
    """
    return (*_gates(gates), *_dates(document), *_slow(document), *_needs(document))


def undated_notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the notes on a document without its own day or time whose customer names dates.

    The dates are counted from the day on which it is approved. `document` is as it was before masking.
    """
    if own_day(document) is not None:
        return ()
    number = 0
    for turn in document.get("turns") or ():
        number += turn.get("role") == "user"
        text = str(turn.get("content") or "")
        dates = dates_in(text, near=_SOME_DAY) if turn.get("role") == "user" else []
        if dates:
            start, end = dates[0].span
            return (
                f"turn {number} names a date (“{text[start:end]}”), and nothing says on which day the conversation was "
                "held: dates are counted from the day of the approval. Write the day as captured_at (2026-05-01) into "
                "the document, or a ts into its turns, or keep the turn to the letter",
            )
    return ()


def empty_replies(document: Mapping[str, Any]) -> list[int]:
    """The places of the agent's turns that have no words, where no other turn of the same answer has any."""
    empty, answer = list[int](), list[tuple[int, bool]]()
    for index, turn in enumerate([*(document.get("turns") or ()), {"role": "user"}]):
        if turn.get("role") == "assistant":
            answer.append((index, bool(str(turn.get("content") or "").strip())))
        elif turn.get("role") == "user":
            empty += [at for at, _ in answer[-1:]] if answer and not any(words for _, words in answer) else []
            answer = []
    return empty


def _slow(document: Mapping[str, Any]) -> list[str]:
    return [
        f"/turns/{index}/wait_for_pattern: {warning}"
        for index, turn in enumerate(document.get("turns") or ())
        if turn.get("wait_for_pattern") and (warning := slow_pattern_warning(str(turn["wait_for_pattern"])))
    ]


def _needs(document: Mapping[str, Any]) -> list[str]:
    names = needed_of_an_identity(document)
    if not names:
        return []
    return [
        f"it needs {', '.join(names)} of a test identity: no shipped person has it. Add it to test_identities of the "
        "agent's profile, or keep the turn to the letter; without it a replay is refused"
    ]


def _gates(gates: Sequence[GateProof]) -> list[str]:
    return [
        f"/turns/{gate.position}/wait_for_pattern: “{gate.replaces[:_SHOWN]}” does not tell this reply from earlier "
        f"ones: the gate is “{gate.pattern[:_SHOWN]}” now"
        for gate in gates
        if gate.narrowed
    ]


def _dates(document: Mapping[str, Any]) -> list[str]:
    if not any(variable.get("kind") == "date" for variable in (document.get("variables") or {}).values()):
        return []
    return [
        f"/turns/{index}/content: {date!r} stays as it is, while other dates of the session move with the day it is "
        "played on"
        for index, turn in enumerate(document.get("turns") or ())
        for date in dict.fromkeys(dates_left_in(str(turn.get("content") or "")))
    ]
