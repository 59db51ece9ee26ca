"""The result of an optimization in one sentence, from the results of its drafts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.plurals import many
from apps.improvement.domain.optimization_states import DraftPlace, LeftOut, OptimizationOutcome

_SAME = 1e-9
TOO_HIGH = "The figure chose among drafts, so it is too high; only the hold-out proves a gain."


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedDraft:
    """Result of one draft on the selection.

    `estimate` is draft minus live in points, None where nothing was compared. `regressed`: the circuit breaker blocks
    it, not a criterion alone.
    """

    id: str
    name: str
    place: DraftPlace
    estimate: float | None
    blocked: bool = False
    regressed: bool = False
    left_out: LeftOut | None = None

    @property
    def helped(self) -> bool:
        """True if the draft scored higher, and no guard of scores blocks it."""
        return self.left_out is None and self.estimate is not None and self.estimate > _SAME and not self.blocked


def best_of(drafts: Sequence[TriedDraft]) -> TriedDraft | None:
    """The one that helped most; of equals the first. None where none helped."""
    return max((draft for draft in drafts if draft.helped), key=lambda draft: draft.estimate or 0.0, default=None)


def winners(drafts: Sequence[TriedDraft]) -> list[TriedDraft]:
    """Single fixes that helped: what may be combined."""
    return [draft for draft in drafts if draft.helped and draft.place is not DraftPlace.COMBINED]


def outcome_of(drafts: Sequence[TriedDraft]) -> OptimizationOutcome:
    """The outcome by the selection alone."""
    if best_of(drafts) is not None:
        return OptimizationOutcome.HELPED
    compared = [draft for draft in drafts if draft.estimate is not None]
    if not compared:
        looked = any(draft.left_out is LeftOut.NOT_PURSUED for draft in drafts)
        return OptimizationOutcome.NOT_SHOWN if looked else OptimizationOutcome.UNMEASURABLE
    return OptimizationOutcome.BLOCKED if all(draft.blocked for draft in compared) else OptimizationOutcome.NOT_SHOWN


def selection_sentence(drafts: Sequence[TriedDraft]) -> str:
    """The first line of the page once everything was tried."""
    compared = [draft for draft in drafts if draft.estimate is not None]
    left = _left_out(drafts)
    if outcome_of(drafts) is OptimizationOutcome.NOT_SHOWN and not compared:
        return f"No draft came so far that it was tried where drafts are chosen.{left}"
    if not compared:
        return f"Nothing could be compared.{left}"
    best, blocked = best_of(drafts), [draft for draft in compared if draft.blocked]
    blocked_sentence = _blocked(blocked)
    if best is None:
        return f"None of {many(len(compared), 'draft')} scored higher than the live prompt.{blocked_sentence}{left}"
    helped = sum(draft.helped for draft in compared)
    clash = _clash(drafts)
    return (
        f"{helped} of {many(len(compared), 'draft')} scored higher than the live prompt; {best.name} most, by "
        f"{best.estimate:+.2f} points.{clash}{blocked_sentence} {TOO_HIGH}{left}"
    )


def _blocked(blocked: Sequence[TriedDraft]) -> str:
    fell = sum(draft.regressed for draft in blocked)
    sentence = f" Regression detected in {many(fell, 'draft')}: blocked." if fell else ""
    if len(blocked) > fell:
        sentence += f" Blocked by a criterion that is clearly worse: {many(len(blocked) - fell, 'draft')}."
    return sentence


def _clash(drafts: Sequence[TriedDraft]) -> str:
    """Fixes that help alone and less, or not at all, together."""
    alone = winners(drafts)
    for draft in drafts:
        if draft.place is not DraftPlace.COMBINED or draft.estimate is None or not alone:
            continue
        most = max(single.estimate or 0.0 for single in alone)
        if draft.estimate < -_SAME:
            return f" Together the fixes hurt ({draft.estimate:+.2f} points), although each helps alone."
        if draft.estimate < most - _SAME:
            return f" Together the fixes gain less ({draft.estimate:+.2f} points) than the best of them alone."
    return ""


def _left_out(drafts: Sequence[TriedDraft]) -> str:
    words = {
        LeftOut.BUDGET: "the budget did not pay for a trial of {n}",
        LeftOut.REFUSED: "guards refused {n}",
        LeftOut.NOT_PROPOSED: "the model proposed nothing usable for {n}",
        LeftOut.SAME_WORDS: "{n} had the words of another one",
        LeftOut.NOT_TRIABLE: "{n} could not be tried",
        LeftOut.NOT_PURSUED: "{n} did no better where drafts are written",
        LeftOut.NOT_COMPARED: "{n} could not be compared",
        LeftOut.CANCELLED: "{n} was stopped by a person",
    }
    parts = []
    for code, text in words.items():
        count = sum(draft.left_out is code for draft in drafts)
        if count:
            parts.append(text.format(n=many(count, "draft")))
    return f" Left out: {'; '.join(parts)}." if parts else ""
