"""Rows for pages of rollouts that the documents do not hold."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

_WORST = """
SELECT j.conversation_id, j.weighted_score, p.external_id,
  coalesce((SELECT t.content FROM runs_turn t WHERE t.conversation_id = j.conversation_id AND t.role = 'user'
    AND t.content <> '' ORDER BY t.position LIMIT 1), '')
FROM production_rolloutconversation rc
JOIN evaluations_judgement j ON j.evaluation_id = rc.evaluation_id AND j.conversation_id = rc.conversation_id
JOIN production_productionconversation p ON p.conversation_id = rc.conversation_id
WHERE rc.rollout_id = %(rollout)s AND rc.arm = 'canary' AND j.status = 'scored' AND j.weighted_score < %(below)s
ORDER BY j.weighted_score, j.id LIMIT %(lines)s
"""
_LINES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PoorConversation:
    """One that the canary answered and the judge scored below the mark, with what the customer said first, masked."""

    conversation: uuid.UUID
    score: float
    said: str


def poor_conversations(rollout_id: uuid.UUID, *, below: float) -> Sequence[PoorConversation]:
    """The worst of the canary, worst first, 20 at most. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_WORST, {"rollout": rollout_id, "below": below, "lines": _LINES})
        return [
            PoorConversation(conversation=id, score=score, said=said or external_id or str(id))
            for id, score, external_id, said in cursor.fetchall()
        ]
