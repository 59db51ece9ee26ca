"""The weighted mean of criterion scores: what has no score takes no part, and never counts as zero."""

from collections.abc import Mapping
from math import fsum, isfinite

DEFAULT_WEIGHT = 1.0


def weighted_mean(scores: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """SUM(score · weight) / SUM(weight) over the criteria that have a score; a criterion without a weight weighs 1.

    None when nothing is scored, or when all that is scored weighs 0. 8, 7 and 6 with weights 1, 1.5 and 1.5 give
    6.875. Raises ValueError for a negative weight, and for a score or weight that is not a finite number.
    """
    pairs = [
        (float(score), float(weights.get(name, DEFAULT_WEIGHT))) for name, score in scores.items() if score is not None
    ]
    for score, weight in pairs:
        if not isfinite(score) or not isfinite(weight) or weight < 0:
            raise ValueError(f"cannot average score {score} with weight {weight}")
    total = fsum(weight for _, weight in pairs)
    if total <= 0:
        return None
    return fsum(score * weight for score, weight in pairs) / total
