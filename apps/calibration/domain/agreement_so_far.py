"""Measure how far raters agree while they still rate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.statistics.agreement import krippendorff_alpha

MIN_FOR_ALPHA = 10  # of conversations with two ratings; below it the figure jumps with each further one (our choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAgreement:
    """Agreement on one criterion: conversations with two ratings and more, and their pairs.

    `equal` pairs are the same, `near` ones within one point; `alpha` is Krippendorff's ordinal one, None where it says
    nothing yet.
    """

    criterion: str
    conversations: int
    pairs: int
    equal: int
    near: int
    alpha: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterOpinion:
    """One rater's rating of one criterion of one conversation; None: the rater could not say."""

    item: int
    rater: str
    criterion: str
    value: float | None
    reason: str = ""


def agreement_so_far(
    opinions: Sequence[RaterOpinion], *, criteria: Sequence[str], step: float
) -> list[CriterionAgreement]:
    """Return the agreement on each criterion. `step` is the distance of two points of the scale."""
    return [
        _of_criterion([opinion for opinion in opinions if opinion.criterion == name], name, step) for name in criteria
    ]


def _of_criterion(opinions: Sequence[RaterOpinion], name: str, step: float) -> CriterionAgreement:
    by_item: dict[int, dict[str, float]] = {}
    for opinion in opinions:
        if opinion.value is not None:
            by_item.setdefault(opinion.item, {})[opinion.rater] = opinion.value
    shared = {item: given for item, given in by_item.items() if len(given) > 1}
    pairs = equal = near = 0
    for given in shared.values():
        values = list(given.values())
        for place, first in enumerate(values):
            for second in values[place + 1 :]:
                pairs += 1
                equal += first == second
                near += abs(first - second) <= step + 1e-9
    raters = sorted({rater for given in shared.values() for rater in given})
    rows = [[given.get(rater) for given in shared.values()] for rater in raters]
    alpha = krippendorff_alpha(rows, level="ordinal") if len(shared) >= MIN_FOR_ALPHA else None
    return CriterionAgreement(
        criterion=name, conversations=len(shared), pairs=pairs, equal=equal, near=near, alpha=alpha
    )


def disagreement(values: Mapping[str, float | None]) -> float:
    """Return how far the raters of one criterion of one conversation lie apart.

    It is 0 where they agree or only one could say.
    """
    ratings = [value for value in values.values() if value is not None]
    return max(ratings) - min(ratings) if len(ratings) > 1 else 0.0
