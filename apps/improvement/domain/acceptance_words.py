"""The sentences in which a decision about a draft is told, each with a stable word. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isfinite
from typing import Protocol

from apps.core.plurals import many
from apps.statistics.sign_flip_bounds import FlipBounds

_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceReason:
    """`code` is stable and part of the API; `text` is a sentence for people."""

    code: str
    text: str


class _Criterion(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def estimate(self) -> float: ...
    @property
    def p(self) -> float | None: ...


def blocks(
    criteria: Sequence[_Criterion],
    blocked: Sequence[str],
    estimate: float | None,
    original: float | None,
    block_points: float,
) -> list[AcceptanceReason]:
    """Why the draft is blocked: the circuit breaker first, then each criterion that is clearly worse."""
    reasons = []
    for against, change in (("the live prompt", estimate), ("the first prompt of this lineage", original)):
        if change is not None and change < -block_points - _SAME:
            text = (
                f"Regression detected: {points(change)} against {against}, and more than {block_points:g} is blocked."
            )
            reasons.append(AcceptanceReason(code="regression_detected", text=text))
    reasons += [
        AcceptanceReason(
            code="criterion_worse",
            text=f"{one.name} is clearly worse: {points(one.estimate)} ({_chance(one.p)}, adjusted for all criteria).",
        )
        for one in criteria
        if one.name in blocked
    ]
    return reasons


def gain(estimate: float | None, bounds: FlipBounds | None, flagged: Sequence[str]) -> list[AcceptanceReason]:
    """What speaks for the draft, and whose conversations carry most of it."""
    if estimate is None or bounds is None:
        return []
    reasons = [AcceptanceReason(code="gain_shown", text=f"The gain is at least {points(_down(bounds.low))}.")]
    return reasons + [
        AcceptanceReason(
            code="carried_by_one_persona",
            text=f"Without the persona {name} less than half of the gain is left: look at its conversations.",
        )
        for name in flagged
    ]


def no_hold_out(families: int, least: int) -> AcceptanceReason:
    more = many(least - families, "more family is", "more families are")
    return AcceptanceReason(code="no_hold_out", text=f"Not proven: no hold-out, {more} needed ({families} of {least}).")


def lost_scores(lost: int, of: int) -> AcceptanceReason:
    return AcceptanceReason(
        code="scores_missing",
        text=f"Cannot tell: {lost} of {many(of, 'conversation')} that the live prompt has scores for have none with "
        "the draft.",
    )


def too_few_differ(families: int, needed: int) -> AcceptanceReason:
    if not families:
        return AcceptanceReason(code="nothing_differs", text="Nothing differs: every family has the same scores.")
    only = many(families, "family differs", "families differ")
    return AcceptanceReason(code="too_few_differ", text=f"Cannot tell: only {only}, and this look needs {needed}.")


def may_be_chance(low: float) -> AcceptanceReason:
    held = f"it may as well be {points(low)}" if isfinite(low) else "too few families hold it"
    return AcceptanceReason(code="may_be_chance", text=f"Not shown to be better: {held}.")


def sentence(
    verdict: str,
    estimate: float | None,
    bounds: FlipBounds | None,
    families: int,
    look: int,
    reasons: Sequence[AcceptanceReason],
) -> str:
    """The first line of every page and export about it."""
    if estimate is None:
        return "Nothing can be said: no conversation has a score with both prompts."
    opening = {"better": "Better", "blocked": "Blocked", "not_shown": "Not shown to be better"}[verdict]
    between = ""
    if bounds is not None and isfinite(bounds.low) and isfinite(bounds.high):
        between = f", {bounds.confidence:.1%} interval {bounds.low:+.2f} to {bounds.high:+.2f}"
    why = "" if verdict == "better" else f" {reasons[0].text}" if reasons else ""
    return f"{opening}: {points(estimate)} over {many(families, 'family', 'families')} (look {look}{between}).{why}"


def _chance(p: float | None) -> str:
    """`p = 0.012`, never `p = 0.000`."""
    return f"p = {p:.3f}" if p is not None and p >= 0.001 else "p < 0.001"


def _down(change: float) -> float:
    """A bound to two digits that still holds: .025 is shown as .02."""
    return floor(change * 100 + _SAME) / 100


def points(change: float) -> str:
    """`+0.84 points`."""
    return f"{change:+.2f} points"
