"""Taking owed judgements: a lease in the row, never a lock that outlives its worker."""

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.jobs.services.leases import LeasedTable
from apps.runs.domain.kind_traits import PLAYABLE, sql_list
from apps.runs.prompt_of_conversation import prompt_sql

LEASE = timedelta(seconds=45)  # three heartbeats; a lost worker costs at most this and one tick


def _select() -> str:
    return f"""
SELECT t.id, t.evaluation_id, t.conversation_id, t.attempts, c.run_id, c.language, c.external_id,
  (SELECT coalesce(json_agg(json_build_object(
      'role', u.role, 'content', u.content, 'tool_calls', u.tool_calls, 'tool_call_id', u.tool_call_id,
      'name', u.name, 'ts', u.ts, 'latency_ms', u.latency_ms) ORDER BY u.position), '[]')
    FROM runs_turn u WHERE u.conversation_id = c.id AND u.attempt = c.attempt AND u.purpose <> 'nudge')::text AS turns,
  {prompt_sql()},
  coalesce(e.options->>'pull_request', r.plan->>'pull_request', ''),
  c.kind IN {sql_list(PLAYABLE)}, jsonb_build_object('persona', c.spec->>'persona', 'goal', c.spec->>'goal',
    'agent_profile', nullif(r.plan->'agent'->'profile', '{{}}'::jsonb))::text
FROM claimed t JOIN runs_conversation c ON c.id = t.conversation_id JOIN runs_testrun r ON r.id = c.run_id
  JOIN evaluations_evaluation e ON e.id = t.evaluation_id"""  # noqa: S608 - words of our own


# Claim and read in one round trip: the transcripts come as JSON built by the database.
JUDGEMENTS = LeasedTable(
    table="evaluations_judgement",
    lease=LEASE,
    joins="JOIN evaluations_evaluation e ON e.id = w.evaluation_id",
    pending="""w.status = 'pending' AND e.status = ANY(%(active)s)
    AND NOT (w.evaluation_id = ANY(%(limited)s::uuid[]))""",
    also_set=", error_code = ''",
    select=_select,
)
_ACTIVE = [state.value for state in EVALUATION_ACTIVE]

_BEGIN = """
UPDATE evaluations_judgement SET attempts = attempts + 1
WHERE id = ANY(%(ids)s) AND lease_token = %(token)s AND status = 'pending' AND EXISTS (
  SELECT 1 FROM tenants_tenant t WHERE t.schema_name = current_schema() AND t.ready AND NOT t.suspended)
  AND evaluation_id IN (SELECT id FROM evaluations_evaluation WHERE status = ANY(%(active)s))
RETURNING id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedJudgement:
    """One judgement taken by this worker, with its transcript as plain data.

    `prompt_version` answered the conversation (apps.runs.prompt_of_conversation); `pull_request` whose budget pays.
    `played`: a program spoke as the customer, so its pauses are nobody's. `background` has what the conversation was
    played with (domain.background), null where nobody said.
    `attempts` counts those begun before. `call_for`: what every call is entered for, where that
    is not the judgement (a dry run).
    """

    judgement_id: uuid.UUID
    evaluation_id: uuid.UUID
    conversation_id: uuid.UUID
    run_id: uuid.UUID
    external_id: str
    language: str
    attempts: int
    turns: list[dict[str, Any]]
    prompt_version: str = ""
    pull_request: str = ""
    played: bool = False
    background: Mapping[str, Any] = field(default_factory=dict)
    call_for: CallFor | None = None

    def call_for_purpose(self, purpose: Purpose) -> CallFor:
        """The entry in the ledger for a call about this judgement."""
        return self.call_for or CallFor(
            purpose=purpose,
            run_id=self.run_id,
            evaluation_id=self.evaluation_id,
            conversation_id=self.conversation_id,
            pull_request=self.pull_request,
            prompt_version=self.prompt_version,
        )


def claim(
    *, token: uuid.UUID, limit: int, now: datetime, limited: Collection[uuid.UUID] = ()
) -> list[ClaimedJudgement]:
    """Take up to `limit` owed judgements, oldest first; none of the `limited` evaluations, whose models nobody may ask
    now. One query. Two workers never take the same row."""
    rows = JUDGEMENTS.claim(token=token, limit=limit, now=now, active=_ACTIVE, limited=[str(id) for id in limited])
    return [
        ClaimedJudgement(
            judgement_id=row[0],
            evaluation_id=row[1],
            conversation_id=row[2],
            attempts=row[3],
            run_id=row[4],
            language=row[5],
            external_id=row[6],
            turns=json.loads(row[7]),
            prompt_version=row[8],
            pull_request=row[9],
            played=row[10],
            background=json.loads(row[11]),
        )
        for row in rows
    ]


def begin(*, token: uuid.UUID, judgement_ids: Collection[Any]) -> set[uuid.UUID]:
    """Count the attempt of those that are asked about now; which these are. One query.

    What was claimed ahead and never begun is no attempt. None where the lease was lost, the evaluation was cancelled,
    or the tenant is suspended or being migrated.
    """
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, {"ids": list(judgement_ids), "token": token, "active": _ACTIVE})
        return {row[0] for row in cursor.fetchall()}


def next_due(*, now: datetime, within: timedelta, place: datetime | None = None) -> datetime | None:
    """Return when the next waiting judgement may be tried, if within this time.

    `place` is when a busy model can be called again, for which some were left unclaimed. One query, or two.
    """
    if place is not None and JUDGEMENTS.is_due(now=now, active=_ACTIVE, limited=[]):
        return place
    return JUDGEMENTS.next_due(now=now, within=within, active=_ACTIVE, limited=[])
