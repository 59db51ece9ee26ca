"""Stops an evaluation whose judge fails every conversation alike (domain.circuit_breaker)."""

import uuid
from collections.abc import Collection
from datetime import datetime

from django.db import connection

from apps.evaluations.domain.parsing import NO_ANSWER_CODES
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.judging.domain.circuit_breaker import STOPPED, is_hopeless, stopped_sentence

_COUNTED = """
SELECT j.evaluation_id, count(*) FILTER (WHERE j.status = 'scored'),
  count(*) FILTER (WHERE j.error_code <> ALL(%(lasting)s)
    AND (j.status = 'parse_error' OR (j.status = 'model_error' AND j.second_chances = 0))),
  (array_agg(j.error_message ORDER BY j.judged_at) FILTER (WHERE j.status IN ('parse_error', 'model_error')))[1]
FROM evaluations_judgement j WHERE j.evaluation_id = ANY(%(ids)s) GROUP BY j.evaluation_id
"""

# What is being asked at this moment ends by itself. Nothing of an evaluation that was stopped has a second chance
# (completion).
_STOP = """
UPDATE evaluations_judgement SET status = 'model_error', error_code = %(code)s, error_message = %(why)s,
  judged_at = %(now)s, second_chances = 0, not_before = NULL, waiting_for = ''
WHERE evaluation_id = %(id)s AND status = 'pending' AND lease_token IS NULL
"""

FAILED = (JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR)


def stop_hopeless(*, evaluation_ids: Collection[uuid.UUID], now: datetime) -> int:
    """Stop those of these evaluations whose judge fails for good; return how many conversations are left unasked.

    `rerun` asks again when the judge is mended. One query, and one more for each evaluation that stops. Safe to repeat.
    """
    if not evaluation_ids:
        return 0
    stopped = 0
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED, {"ids": list(evaluation_ids), "lasting": [*NO_ANSWER_CODES, STOPPED]})
        for evaluation_id, scored, failed, error in cursor.fetchall():
            if is_hopeless(scored=scored, failed_for_good=failed):
                why = stopped_sentence(failed=failed, error=str(error))
                cursor.execute(_STOP, {"id": evaluation_id, "code": STOPPED, "why": why, "now": now})
                stopped += cursor.rowcount
    return stopped
