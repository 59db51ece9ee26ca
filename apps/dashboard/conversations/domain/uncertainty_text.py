"""Say in words how sure a score is and which other judges were asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.evaluations.figures.domain.uncertainty import Flips, Source, Uncertainty
from apps.statistics.decision import Decision

_FROM = {
    Source.REPEATS: "from how its own answers differ",
    Source.PANEL: "from how the judges differ",
}
_WHO = {"judge": "the judge", "panel": "the panel", "cross_check": "a cross-check, not in the score"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOpinion:
    """One further answer: who gave it, and either a score or why there is none."""

    who: str
    model: str
    score: float | None
    reason: str


def doubt_sentence(uncertainty: Uncertainty | None, *, answers: int, mark: float) -> str:
    """The sentence about a score's interval; "" where the judge's noise is unknown and the judge was asked once."""
    if uncertainty is None:
        return ""
    mean = f"Mean of {answers} answers" if answers > 1 else ""
    if uncertainty.interval is None:
        return f"{mean}." if mean else ""
    low, high = uncertainty.interval
    spread = f"could be {low:.1f} to {high:.1f}" + (f", {_FROM[uncertainty.source]}" if uncertainty.source else "")
    text = f"{mean}; {spread}" if mean else spread[0].upper() + spread[1:]
    if uncertainty.decision is Decision.UNDECIDED:
        return f"{text}: on both sides of the pass mark {mark:.1f}, so neither pass nor fail."
    return f"{text}."


def opinions_of(stored: Sequence[Mapping[str, Any]]) -> list[ShownOpinion]:
    """The opinions stored beside a score, one line each."""
    return [
        ShownOpinion(
            who=_WHO.get(str(one["purpose"]), str(one["purpose"])),
            model=str(one.get("model") or ""),
            score=one["score"],
            reason=_silence(one) if one["score"] is None else str(one.get("reason") or ""),
        )
        for one in stored
    ]


def flips_sentence(flips: Flips | None) -> str:
    """Say how often the same judge decided otherwise; empty where it graded once."""
    if flips is None:
        return ""
    parts = [f"{flips.passed} pass", f"{flips.failed} fail"]
    if flips.undecided:
        parts.append(f"{flips.undecided} undecided")
    rate = "" if flips.rate is None else f": {100 * flips.rate:.0f} % of its decided gradings say otherwise"
    return f"Graded {flips.gradings} times by the same judge ({', '.join(parts)}){rate}."


def _silence(one: Mapping[str, Any]) -> str:
    if one.get("left_out"):
        return "not asked: the budget is in danger"
    return f"no answer: {one['error']}" if one.get("error") else str(one.get("reason") or "nothing to score")
