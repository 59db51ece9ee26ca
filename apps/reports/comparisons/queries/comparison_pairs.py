"""The pairs of a comparison as a list to walk through: what changed, worst first, without any resampling."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.errors import BadInput
from apps.evaluations.figures.queries.results import find_evaluation
from apps.reports.comparisons.domain.comparison import ConversationChange, changes
from apps.reports.comparisons.queries.comparing import side_labels
from apps.reports.comparisons.queries.comparison_side import Side, read_side


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair:
    """One case on both sides: its conversations (of several trials the one nearest to their mean) and scores."""

    name: str
    change: ConversationChange
    left: uuid.UUID
    right: uuid.UUID
    a: float | None
    b: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPairs:
    a: Side
    b: Side
    pairs: Sequence[ComparedPair]

    @property
    def same_conversations(self) -> bool:
        """Tell whether both sides judged one run."""
        return self.a.evaluation.run_id == self.b.evaluation.run_id


def compared_pairs(a: uuid.UUID | str, b: uuid.UUID | str) -> ComparedPairs:
    """Every case that stands on both sides, changed ones first, worst first. Six queries; some 0.2 s for 10,000
    conversations of ten criteria. Raises NotFound; BadInput where both are the same."""
    first, second = (find_evaluation(one, related=("run",)) for one in (a, b))
    if first.id == second.id:
        raise BadInput("An evaluation cannot be compared with itself: choose another for B.", pointer="/b")
    labels = side_labels(first, second)
    one_run = first.run_id == second.run_id
    left = read_side(first, label=labels[0], by_conversation=one_run)
    right = read_side(second, label=labels[1], by_conversation=one_run)
    shared = [name for name in left.criteria if name in right.criteria]
    weights = None if left.weights == right.weights else {name: right.weights[name] for name in shared}
    scores_a, scores_b = left.totals(weights), right.totals(weights)
    pairs = [
        ComparedPair(
            name=right.scored[key].name,
            change=kind,
            left=left.scored[key].conversation,
            right=right.scored[key].conversation,
            a=scores_a[key],
            b=scores_b[key],
        )
        for key, kind in changes(scores_a, scores_b).items()
        if key in left.scored and key in right.scored
    ]
    return ComparedPairs(a=left, b=right, pairs=pairs)
