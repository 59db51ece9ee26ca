"""The gain of each scenario family of a trial: shown for the parts that prove nothing, never for a hold-out."""

from collections import defaultdict
from dataclasses import dataclass

from apps.improvement.domain.acceptance_pairs import family_means, mean, read_pairs
from apps.improvement.drafts.models import Trial
from apps.improvement.drafts.queries.trial_pairs import trial_pairs
from apps.improvement.holdout.domain.parts import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyDifference:
    """Draft minus live in points, and both prompts' means; `lost` conversations lack a score on a side."""

    family: str
    live: float | None
    draft: float | None
    difference: float | None
    conversations: int
    lost: int


def family_differences(row: Trial) -> list[FamilyDifference]:
    """Worst first. Nothing of a hold-out: who reads single families mends by them, and the next look proves nothing
    (worn by reading: stats-loop §4). Two queries."""
    if row.part == Part.HOLD_OUT:
        return []
    pairs = read_pairs(trial_pairs(row.pk), look=1, alpha=0.05, block_points=row.block_points)
    by_family = defaultdict(list)
    for pair in pairs:
        by_family[pair.family].append(pair)
    differences = [
        FamilyDifference(
            family=family,
            live=mean(family_means([one for one in ours if one.difference is not None], lambda one: one.live).values()),
            draft=mean(
                family_means([one for one in ours if one.difference is not None], lambda one: one.draft).values()
            ),
            difference=mean(family_means(ours, lambda one: one.difference).values()),
            conversations=len(ours),
            lost=sum(one.difference is None for one in ours),
        )
        for family, ours in sorted(by_family.items())
    ]
    return sorted(differences, key=lambda difference: (difference.difference is None, difference.difference or 0.0))
