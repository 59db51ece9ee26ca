"""Criterion scores of many judgements, as far as decisions need them."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from apps.evaluations.models import CriterionScore


class DecidingScore(NamedTuple):
    """A criterion's score as far as decisions need it: a row of the model costs thrice."""

    judgement_id: uuid.UUID
    criterion: str
    score: float | None
    scale: str
    weight: float
    pass_mark: float
    must_reach: float | None
    unscored_reason: str
    answers: int
    standard_error: float | None
    opinions: Sequence[Any]


def deciding_scores(judgements: Collection[uuid.UUID]) -> dict[uuid.UUID, list[Any]]:
    """The scores by judgement, an empty list for one without. One query, none for no judgement."""
    scores: dict[uuid.UUID, list[Any]] = defaultdict(list)
    if judgements:
        rows = CriterionScore.objects.filter(judgement__in=judgements)
        for row in rows.values_list(*DecidingScore._fields):
            scores[row[0]].append(DecidingScore(*row))
    return scores
