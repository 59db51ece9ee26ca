"""Put settled conversations into arms, and choose those that are judged. SQL does it, whatever their number."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import connection

from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.core.subject import Subject
from apps.evaluations.requests.services.creating import choose
from apps.evaluations.requests.services.sampling import request_sample
from apps.production.rollouts.models import Rollout, RolloutConversation

_OVERLAP = timedelta(minutes=10)  # a conversation whose transaction took longer than others' is found all the same
AT_ONCE = 200  # of a rollout, before others have their turn

# The percentage of a moment is that of the last event before it. A canary one has a bucket below it; a stable one at or
# above it. Everything else stands elsewhere than the hash says, and in neither arm.
_ASSIGN = """
WITH r AS (
  SELECT r.id, r.created_at, r.line_id, l.name AS role, l.agent_id, s.version AS stable, c.version AS canary
  FROM production_rollout r JOIN catalog_promptline l ON l.id = r.line_id
  JOIN catalog_promptversion s ON s.id = r.stable_id JOIN catalog_promptversion c ON c.id = r.canary_id
  WHERE r.id = %(rollout)s
), new AS (
  SELECT p.conversation_id, p.created_at, p.caller, p.customer_ref_hmac AS customer, p.bucket,
    jsonb_exists(p.prompt_versions, r.stable) AS has_stable, jsonb_exists(p.prompt_versions, r.canary) AS has_canary,
    CASE WHEN p.prompt_version IN (r.stable, r.canary, 'custom') THEN p.alias ELSE '' END AS alias,
    (SELECT e.percentage FROM production_rolloutevent e WHERE e.rollout_id = r.id AND e.created_at <= p.created_at
      ORDER BY e.created_at DESC, e.id DESC LIMIT 1) AS percentage
  FROM r JOIN production_productionconversation p ON p.created_at >= r.created_at AND p.settled_at >= %(since)s
  JOIN runs_conversation v ON v.id = p.conversation_id JOIN runs_testrun t ON t.id = v.run_id
  WHERE (jsonb_exists_any(p.prompt_versions, ARRAY[r.stable, r.canary]) OR t.agent_id = r.agent_id)
    AND NOT EXISTS (SELECT 1 FROM production_rolloutconversation d
      WHERE d.rollout_id = r.id AND d.conversation_id = p.conversation_id)
), sided AS (
  SELECT new.*, CASE
    WHEN has_stable AND has_canary THEN 'mixed'
    WHEN alias = 'custom' THEN 'custom'
    WHEN has_canary AND alias <> 'stable' THEN
      CASE WHEN bucket IS NULL OR bucket < percentage THEN 'canary' ELSE 'off_hash' END
    WHEN has_stable AND alias <> 'canary' THEN
      CASE WHEN bucket IS NULL OR bucket >= percentage THEN 'stable' ELSE 'off_hash' END
    ELSE 'other' END AS arm
  FROM new
), once AS (
  SELECT sided.*, row_number() OVER (PARTITION BY arm, customer ORDER BY created_at, conversation_id) AS nth FROM sided
)
INSERT INTO production_rolloutconversation (rollout_id, conversation_id, arm, caller, latency_ms)
SELECT %(rollout)s, o.conversation_id,
  CASE WHEN o.arm IN ('stable', 'canary') AND o.customer <> '' AND (o.nth > 1 OR EXISTS (
    SELECT 1 FROM production_rolloutconversation d
    JOIN production_productionconversation q ON q.conversation_id = d.conversation_id
    WHERE d.rollout_id = %(rollout)s AND d.arm = o.arm AND q.customer_ref_hmac = o.customer))
  THEN 'repeat' ELSE o.arm END,
  o.caller,
  (SELECT avg(u.latency_ms) FROM runs_turn u WHERE u.conversation_id = o.conversation_id AND u.role = 'assistant')
FROM once o ON CONFLICT DO NOTHING
"""
# Every canary conversation, and of the same caller one stable one for each of them; by a hash of their ids, which knows
# nothing of what was said.
_CHOOSE = """
WITH open AS (
  SELECT rc.id, rc.conversation_id, rc.arm, rc.caller, c.run_id, rc.evaluation_id IS NOT NULL AS chosen,
    p.deleted_at IS NULL AS held
  FROM production_rolloutconversation rc JOIN runs_conversation c ON c.id = rc.conversation_id
  JOIN production_productionconversation p ON p.conversation_id = rc.conversation_id
  WHERE rc.rollout_id = %(rollout)s AND rc.arm IN ('stable', 'canary')
), wanted AS (
  SELECT caller, count(*) FILTER (WHERE arm = 'canary') - count(*) FILTER (WHERE arm = 'stable' AND chosen) AS stable
  FROM open WHERE held OR chosen GROUP BY caller
), ranked AS (
  SELECT open.*, row_number() OVER (PARTITION BY caller, arm ORDER BY md5(conversation_id::text)) AS place
  FROM open WHERE NOT chosen AND held
)
SELECT k.id, k.conversation_id, k.run_id FROM ranked k JOIN wanted w ON w.caller IS NOT DISTINCT FROM k.caller
WHERE k.arm = 'canary' OR k.place <= w.stable ORDER BY k.conversation_id LIMIT %(limit)s
"""


def assign_arms(row: Rollout, *, now: datetime) -> int:
    """Assign an arm, for good, to each conversation settled since the last look; return how many.
    One statement. Safe to repeat. In the caller's transaction, which holds the row."""
    since = max(row.created_at, (row.settled_until or row.created_at) - _OVERLAP)
    with connection.cursor() as cursor:
        cursor.execute(_ASSIGN, {"rollout": row.pk, "since": since})
        count = int(cursor.rowcount)
    row.settled_until = now
    return count


def choose_judged(row: Rollout, *, now: datetime) -> str:
    """Request judgements of canary conversations, and of as many stable ones of the same callers.
    AT_ONCE at most. Returns why the judge cannot be asked, "" if it can: the other metrics go on. Three statements, and
    six for each run. Safe to repeat."""
    if not row.evaluator_config:
        return "nobody judges: there is no evaluator config"
    with connection.cursor() as cursor:
        cursor.execute(_CHOOSE, {"rollout": row.pk, "limit": AT_ONCE})
        by_run = dict[uuid.UUID, list[tuple[int, uuid.UUID]]]()
        for id, conversation_id, run_id in cursor.fetchall():
            by_run.setdefault(run_id, []).append((id, conversation_id))
    try:
        judges = choose(row.evaluator_config)
        for run_id, chosen in by_run.items():
            subject = Subject(label=f"rollout of {row.line.name}")
            evaluation_id = request_sample(
                chosen=judges,
                run_id=run_id,
                conversation_ids=[conversation for _, conversation in chosen],
                sample=f"rollout {row.pk}",
                triggered_by="rollout",
                now=now,
                subject=subject,
            )
            _note(evaluation_id, [id for id, _ in chosen])
    except RatibaError as error:
        log_event(EventType.ROLLOUT_NOT_JUDGED, rollout=str(row.pk), error=error.code)
        return error.message
    return ""


def _note(evaluation_id: uuid.UUID, ids: Sequence[int]) -> None:
    RolloutConversation.objects.filter(pk__in=ids).update(evaluation_id=evaluation_id)
