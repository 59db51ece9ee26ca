"""Take a wrong golden session out of every sum; its judgements stay."""

import uuid
from datetime import datetime

from apps.evaluations.judging.services.completion import end_without_score
from apps.evaluations.models import Evaluation
from apps.runs.goldens.services.blame import blame_golden


def golden_was_wrong(*, conversation_id: uuid.UUID | str, by: str, reason: str, now: datetime) -> None:
    """Blame the golden session for a conversation's failure (see blame_golden).

    The conversation leaves every figure of its evaluations, and stored figures are deleted.

    Judgements and checks stay readable. Raises as blame_golden. An evaluation that has no conversation left becomes
    `failed`. Four queries.
    """
    blame_golden(conversation_id=conversation_id, by=by, reason=reason, now=now)
    rows = Evaluation.objects.filter(judgements__conversation_id=conversation_id)
    touched = list(rows.values_list("pk", flat=True).distinct())
    end_without_score(
        evaluation_ids=touched, sentence="Every conversation was of a golden session that was wrong: nothing is left."
    )
