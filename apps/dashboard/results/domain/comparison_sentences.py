"""The first line of a comparison and of two transcripts beside each other, and names that tell choices apart. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from apps.dashboard.domain.badge_shapes import Badge, Tone
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.reports.comparisons.domain.alignment import RowDifference, TurnPair
from apps.reports.comparisons.domain.comparison import ComparisonOutcome, Difference


def decision_headline(*, overall: Difference, criteria: Sequence[Difference], worse: int, note: str) -> Headline:
    """One line: which is better, by how much and mostly on what; in red what got worse."""
    if overall.pairs == 0:
        text = "A and B have nothing in common that was scored on both sides"
        return Headline(text=text, note="Runs are paired by scenario and persona, golden session, or imported names.")
    won = _most(criteria, ComparisonOutcome.B_BETTER)
    lost = _most(criteria, ComparisonOutcome.A_BETTER)
    fallen = f"{many(worse, 'conversation')} got worse" if worse else ""
    but = f"B is worse on {lost.name}" if lost else fallen
    if overall.outcome is ComparisonOutcome.B_BETTER:
        text = f"B is better by {_amount(overall)}{_mostly(won, criteria)}"
    elif overall.outcome is ComparisonOutcome.A_BETTER:
        return Headline(text="", but=f"B is worse by {_amount(overall)}{_mostly(lost, criteria)}", note=note)
    elif overall.outcome is ComparisonOutcome.NO_DIFFERENCE:
        text = "No difference between A and B" + (f" overall; B is better on {won.name}" if won else "")
    else:
        more = f": about {many(overall.needed, 'more case', 'more cases')} would tell" if overall.needed else ""
        text = f"Not enough data to tell A from B{more}"
    return Headline(text=text + (", but " if but else ""), but=but, note=note)


class Compared(Protocol):
    """A comparison of two evaluations; with `same_conversations` two judges saw one run."""

    @property
    def same_conversations(self) -> bool: ...


def looks_of(found: Compared | None, kind: str) -> str:
    """Return the kind of badges for a comparison (`outcome` or `moved`).

    Where two judges saw one run, nobody won and nobody got worse.
    """
    return f"{kind}_judging" if found is not None and found.same_conversations else kind


def without_colour(badge: Badge) -> Badge:
    """Return the badge's shape and label alone.

    Of two judges beside each other a colour would say that one of them is wrong.
    """
    return replace(badge, tone=Tone.IDLE)


def pair_headline(
    first: TurnPair | None, *, failing: TurnPair | None = None, wording: int, same: int, one_conversation: bool
) -> Headline:
    """Say from which turn on B fails what A does not (`failing`); else where the two part, and by what."""
    if one_conversation:
        return Headline(text="One conversation, judged twice", note="What differs is the judging: see the table.")
    if failing is not None and failing.right:
        what = " and ".join(failing.quoted[1][:2])
        note = f"{many(wording, 'turn')} in other words, {same} the same."
        return Headline(text="", but=f"B fails {what} from turn {failing.right.number} on", note=note)
    if first is None:
        text = "The agent says the same in both" if not wording else "The agent says the same in other words"
        return Headline(text=text, note=f"{many(wording, 'turn')} in other words, {same} the same.")
    side = first.right or first.left
    at = f"From turn {side.number} on" if side else "At the end"
    left, right = (" and ".join(values[:2]) for values in first.facts)
    texts = {
        RowDifference.TOOL: ("the agent calls ", "other tools, or with other values"),
        RowDifference.OTHER: ("the agent says ", "something else"),
        RowDifference.ADDED: ("B has ", "a turn that A has not"),
        RowDifference.REMOVED: ("B lacks ", "a turn that A has"),
        RowDifference.FACT: (f"A says {left}, " if left else "", f"B says {right}" if right else "B leaves it out"),
    }
    values = first.difference is RowDifference.TOOL and any(first.facts)  # what was said tells more than the call
    text, but = texts[RowDifference.FACT if values else first.difference]
    return Headline(
        text=f"{at} {text}", but=but, note=f"{many(wording, 'turn')} in other words, {same} the same: folded."
    )


def distinct_labels(labels: Sequence[str], ids: Sequence[str]) -> list[str]:
    """The labels; those that stand more than once with their id behind."""
    often = Counter(labels)
    return [f"{label} · {id}" if often[label] > 1 else label for label, id in zip(labels, ids, strict=True)]


def _most(criteria: Sequence[Difference], outcome: ComparisonOutcome) -> Difference | None:
    same = [criterion for criterion in criteria if criterion.outcome is outcome]
    return max(same, key=lambda criterion: abs(criterion.mean or 0.0), default=None)


def _mostly(difference: Difference | None, criteria: Sequence[Difference]) -> str:
    if difference is None or len(criteria) < 2:
        return f" on {difference.name}" if difference else ""
    return f", mostly on {difference.name}"


def _amount(difference: Difference) -> str:
    low, high = difference.interval or (0.0, 0.0)
    if (difference.mean or 0.0) < 0:
        low, high = -high, -low
    return f"{abs(difference.mean or 0.0):.1f} [{low:.1f}, {high:.1f}]"
