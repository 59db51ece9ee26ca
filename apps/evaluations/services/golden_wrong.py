"""What a wrong golden session means for judgements: they stay, and leave every sum."""

import uuid
from datetime import datetime

from apps.evaluations.models import Evaluation
from apps.evaluations.queries.aggregate_cache import forget_sums
from apps.evaluations.services.completion import end_without_score
from apps.runs.services.golden_blame import blame_golden


def golden_was_wrong(*, conversation_id: uuid.UUID | str, by: str, reason: str, now: datetime) -> None:
    """Blame the golden session (see blame_golden), and sum the evaluations of this conversation anew without it.

    Judgements and checks stay to be looked at. Raises as blame_golden. An evaluation that has nothing left is
    no completed one any more: it becomes `failed`. Five queries.
    """
    blame_golden(conversation_id=conversation_id, by=by, reason=reason, now=now)
    rows = Evaluation.objects.filter(judgements__conversation_id=conversation_id)
    touched = list(rows.values_list("pk", flat=True).distinct())
    Evaluation.objects.filter(pk__in=touched).update(sums=None)
    forget_sums(touched)
    end_without_score(
        evaluation_ids=touched, sentence="Every conversation was of a golden session that was wrong: nothing is left."
    )
