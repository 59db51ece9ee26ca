"""The judge's and the agent's words in a case that changed: enough to see why without opening the server."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from apps.core.redaction import redact
from apps.gates.domain.gate_states import CaseChange

MAX_REASON, MAX_REPLY, MAX_COMPARED = 200, 160, 600  # characters
MIN_MOVE = 0.05  # points of 10: less is shown as no change
_UPWARDS = (CaseChange.GAINED, CaseChange.BETTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCriterion:
    """One criterion of one conversation. `turn` is the first that the judge quotes, counted from 0."""

    name: str
    score: float | None
    reason: str = ""
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSide:
    """One conversation: what was judged, and every turn as (role, text)."""

    criteria: Sequence[JudgedCriterion] = ()
    turns: Sequence[tuple[str, str]] = field(default=())


def case_words(change: str, *, before: CaseSide | None, after: CaseSide | None) -> dict[str, Any] | None:
    """Return the words of a case: what moved, and what was said.

    It is the criterion that moved the most in the direction of `change`, where one did, the reason of the judge for
    what the candidate got, and what the agent said on both sides at that place; masked and cut. None where nothing was
    said. Pure.
    """
    criterion = _moved_criterion(change, before, after)
    shown = after or before
    if shown is None:
        return None
    place = _reply_number(shown, criterion)
    if place is None and before and after:
        place = _least_alike(_replies(before), _replies(after))
    words = {
        "criterion": criterion.name if criterion else "",
        "before": _score_of(before, criterion),
        "after": _score_of(after, criterion),
        "reason": _short(criterion.reason, MAX_REASON) if criterion else "",
        "baseline_reply": _reply(before, place),
        "candidate_reply": _reply(after, place),
    }
    return words if words["reason"] or words["baseline_reply"] or words["candidate_reply"] else None


def _moved_criterion(change: str, before: CaseSide | None, after: CaseSide | None) -> JudgedCriterion | None:
    earlier = {one.name: one.score for one in (before.criteria if before else ())}
    judged = [criterion for criterion in (after or before or CaseSide()).criteria if criterion.score is not None]
    sign = -1.0 if change in _UPWARDS else 1.0

    def moved(criterion: JudgedCriterion) -> float | None:
        then = earlier.get(criterion.name) if after else None
        return None if then is None else sign * ((criterion.score or 0.0) - then)

    criterion = min(judged, key=lambda one: (moved(one) or 0.0, sign * (one.score or 0.0)), default=None)
    by = moved(criterion) if criterion else None
    return criterion if by is None or by <= -MIN_MOVE else None  # what did not move explains nothing


def _score_of(side: CaseSide | None, criterion: JudgedCriterion | None) -> float | None:
    if side is None or criterion is None:
        return None
    return next((judged.score for judged in side.criteria if judged.name == criterion.name), None)


def _reply_number(side: CaseSide, criterion: JudgedCriterion | None) -> int | None:
    """The number of the agent's reply that the judge quotes; None where the judge quotes none."""
    if criterion is None or criterion.turn is None or criterion.turn >= len(side.turns):
        return None
    until = side.turns[: criterion.turn + 1]
    reply_count = sum(role == "assistant" and bool(text.strip()) for role, text in until)  # a tool's call says nothing
    return max(0, reply_count - 1) if until[-1][0] == "assistant" else None


def _least_alike(before: Sequence[str], after: Sequence[str]) -> int | None:
    """Return the place of the reply that differs most between the sides, the earliest of several.

    An assertion mostly misses something there. None, which stands for the last reply, where all are alike.
    """
    likeness = [
        SequenceMatcher(None, then[:MAX_COMPARED], now[:MAX_COMPARED]).ratio()
        for then, now in zip(before, after, strict=False)
    ]
    least = min(likeness, default=1.0)
    return likeness.index(least) if least < 1.0 else None


def _replies(side: CaseSide | None) -> list[str]:
    return [text for role, text in side.turns if role == "assistant" and text.strip()] if side else []


def _reply(side: CaseSide | None, number: int | None) -> str:
    replies = _replies(side)
    if not replies:
        return ""
    return _short(replies[-1 if number is None else min(number, len(replies) - 1)], MAX_REPLY)


def _short(text: str, most: int) -> str:
    line = " ".join(redact(text[: most * 20]).split())
    return line if len(line) <= most else line[: most - 1] + "…"
