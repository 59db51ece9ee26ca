"""Take a wrong golden session out of every sum; its judgements stay."""

import uuid
from datetime import datetime

from apps.evaluations.judging.services.completion import end_without_score
from apps.evaluations.models import Evaluation
from apps.runs.goldens.services.blame import blame_golden


def golden_was_wrong(*, conversation_id: uuid.UUID | str, by: str, reason: str, now: datetime) -> None:
    """Blame the golden session (see blame_golden).

    Its conversation leaves every figure of its evaluations, and the database forgets those that are stored.

    Judgements and checks stay to be looked at. Raises as blame_golden. An evaluation that has nothing left is
    no completed one any more: it becomes `failed`. Four queries.
    """
    blame_golden(conversation_id=conversation_id, by=by, reason=reason, now=now)
    rows = Evaluation.objects.filter(judgements__conversation_id=conversation_id)
    touched = list(rows.values_list("pk", flat=True).distinct())
    end_without_score(
        evaluation_ids=touched, sentence="Every conversation was of a golden session that was wrong: nothing is left."
    )
