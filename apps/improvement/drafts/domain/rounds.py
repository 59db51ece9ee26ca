"""Limit how often a prompt may be optimized before a person has to decide. Pure.

It ends a loop in which every fix is tried, found worse, and answered by another fix (first product specification,
failure scenario 1).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.core.errors import Conflict
from apps.core.plurals import many


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOfDraft:
    """The round that a draft of a prompt version was written in, and whether a trial of it came to a decision."""

    number: int
    tried: bool


def next_round(drafts: Iterable[RoundOfDraft]) -> int:
    """The round of a draft that is written now, from 1: a round is over as soon as one of its drafts was tried."""
    rows = list(drafts)
    newest = max((row.number for row in rows), default=1)
    return newest + any(row.tried for row in rows if row.number == newest)


def refuse_round(number: int, *, most: int, version: str) -> None:
    """Raise Conflict (`rounds_spent`) where a model is asked for one more round than the tenant allows."""
    if number <= most:
        return
    if most == 0:
        message = "Optimization is switched off for this tenant: max_optimization_rounds is 0."
    else:
        message = (
            f"{many(most, 'round')} of optimization against {version} are over, and none of their drafts was released: "
            "release one with a reason, write a draft yourself, or raise max_optimization_rounds in the settings."
        )
    raise Conflict(message, code="rounds_spent", rounds=most)
