"""Create the judgements that are due: one row per finished conversation of an evaluation's run.

The database writes them.
"""

import uuid
from datetime import datetime

from django.db import connection

from apps.evaluations.domain.samples import WHOLE_SQL
from apps.evaluations.domain.states import EVALUATION_ACTIVE, JudgementStatus
from apps.evaluations.models import Evaluation
from apps.runs.domain.kind_traits import JUDGEABLE, sql_list
from apps.runs.domain.states import CONVERSATION_TERMINAL, Blame, ConversationStatus, Kind

# Ids are made here in SQL: time-ordered is not needed for them to be unique, and PostgreSQL before 18 has no uuidv7().
# A conversation whose words were deleted is `not_judged`: a judge would score the silence.
_OWE = f"""
INSERT INTO evaluations_judgement
  (id, created_at, evaluation_id, conversation_id, status, fingerprint, provider, model, by_fallback, late, latency,
   raw_reply, error_code, error_message, attempts, waiting_for, judged_at)
SELECT gen_random_uuid(), %(now)s, e.id, c.id,
  CASE WHEN j.is_over AND j.words THEN %(pending)s ELSE %(not_judged)s END,
  '', '', '', false, false, '{{}}', '',
  CASE WHEN NOT j.is_over THEN 'conversation_' || c.status WHEN j.words THEN '' WHEN j.had_words THEN 'words_deleted'
    ELSE 'nothing_said' END,
  CASE WHEN NOT j.is_over THEN c.error_message WHEN j.words THEN '' WHEN j.had_words THEN %(deleted)s
    ELSE %(nothing_said)s END,
  0, '', NULL
FROM evaluations_evaluation e JOIN runs_conversation c ON c.run_id = e.run_id
CROSS JOIN LATERAL (
  SELECT c.status = %(ended)s OR c.blame = %(agent)s AS is_over, EXISTS (
    SELECT 1 FROM runs_turn t WHERE t.conversation_id = c.id
      AND (t.content <> '' OR t.tool_calls <> '[]' OR t.attachments <> '[]')
  ) AS words, c.kind = %(production)s OR EXISTS (
    SELECT 1 FROM runs_turn t WHERE t.conversation_id = c.id
  ) AS had_words
) j
WHERE e.id = ANY(%(evaluations)s) AND c.status = ANY(%(terminal)s) AND c.kind IN {sql_list(JUDGEABLE)}
  AND c.simulator_verdict <> 'pending' AND {WHOLE_SQL}
ON CONFLICT ON CONSTRAINT one_judgement_per_conversation DO NOTHING
"""  # noqa: S608 - words of our own


def enqueue_judgements(*, now: datetime, evaluation_id: uuid.UUID | None = None) -> int:
    """Create a judgement for every finished conversation that lacks one; return how many.
    An evaluation of a sample judges what was chosen for it, and no more.

    Without an id: for all unfinished evaluations. Two queries whatever the size, one with an id; safe to repeat (a
    constraint keeps one judgement per evaluation and conversation).
    """
    if evaluation_id is None:
        ids = list(Evaluation.objects.filter(status__in=EVALUATION_ACTIVE).values_list("id", flat=True))
    else:
        ids = [evaluation_id]
    if not ids:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            _OWE,
            {
                "now": now,
                "evaluations": ids,
                "terminal": [state.value for state in CONVERSATION_TERMINAL],
                "ended": ConversationStatus.ENDED.value,
                "agent": Blame.AGENT_QUALITY.value,
                "pending": JudgementStatus.PENDING.value,
                "not_judged": JudgementStatus.NOT_JUDGED.value,
                "production": Kind.PRODUCTION.value,
                "nothing_said": "It ended before anything was said, so there is nothing to judge.",
                "deleted": "Its words were deleted: they were kept as long as they may be, or its customer was erased.",
            },
        )
        return int(cursor.rowcount)
