"""Adapt the outbox to our own work in a team's Langfuse.

Played conversations and judgements go as spans, and the scores of a judgement at the trace of its conversation.

Spans are built from rows when they are sent, masked; their ids follow from the rows, so that a retry doubles nothing.
"""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from apps.connectors.outbound import outbound_client
from apps.connectors.tracing.exported_span import ExportedSpan
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.scores import send_scores
from apps.connectors.tracing.langfuse.spans import send_spans
from apps.evaluations.domain.states import JudgementStatus
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of
from apps.production.exports.domain.exported_spans import OWN_ENVIRONMENT, exported_spans
from apps.production.exports.queries.exported_work import (
    ExportedJudgement,
    ExportedRows,
    judgements,
    played_conversations,
)
from apps.production.langfuse.domain.scores import ScoredThing, judge_scores
from apps.production.langfuse.domain.spans import langfuse_names
from apps.production.langfuse.models import LangfuseSource
from apps.production.langfuse.services.connection import address_of
from apps.production.langfuse.services.delivery import AT_ONCE, KIND, enqueue_from, moves_on
from apps.production.services.outbound_policies import langfuse_policy
from apps.runs.domain.kind_traits import JUDGED_OPENLY, PLAYED_TESTS, sql_list

PLAYED, JUDGED = "conversation", "judgement"
# One delivery for each attempt at a conversation, and for each judgement: once where it failed, once more where it was
# scored in the end. Runs and evaluations that nothing moved since are not looked into.
_OWED = f"""
INSERT INTO jobs_outbounddelivery (id, created_at, kind, subject_id, event, status, attempts, not_before, waiting_for,
  last_error)
SELECT gen_random_uuid(), %(now)s, %(kind)s, o.subject, o.event, 'pending', 0, %(now)s, '', '' FROM (
  SELECT c.id AS subject, 'conversation ' || c.attempt AS event FROM runs_testrun r
  JOIN runs_conversation c ON c.run_id = r.id
  WHERE greatest(r.progress_at, r.ended_at) >= %(since)s AND r.kind IN {sql_list(PLAYED_TESTS)}
    AND c.kind IN {sql_list(PLAYED_TESTS)} AND c.status IN ('ended', 'failed', 'timeout', 'cancelled')
    AND c.attempt > 0 AND c.ended_at >= %(since)s AND c.simulator_verdict <> 'pending'
  UNION ALL
  SELECT j.id, 'judgement ' || CASE j.status WHEN 'scored' THEN 'scored' ELSE 'failed' END
  FROM evaluations_evaluation e
  JOIN evaluations_judgement j ON j.evaluation_id = e.id
  JOIN runs_testrun r ON r.id = e.run_id
  WHERE greatest(e.progress_at, e.ended_at) >= %(since)s AND j.judged_at >= %(since)s
    AND j.status IN ('scored', 'parse_error', 'model_error')
    AND r.kind IN {sql_list(JUDGED_OPENLY)}
) o WHERE NOT EXISTS (
  SELECT 1 FROM jobs_outbounddelivery d
  WHERE d.kind = %(kind)s AND d.subject_id = o.subject AND d.event = o.event
) LIMIT %(most)s
ON CONFLICT DO NOTHING
"""  # noqa: S608 - words of our own


def runs_source() -> LangfuseSource | None:
    """The project that our own work is sent to; None where nobody switched that on. One query."""
    return LangfuseSource.objects.filter(enabled=True, sends_runs_since__isnull=False).first()


def enqueue_runs(*, now: datetime) -> int:
    """Create a delivery for each conversation and judgement without one; return how many.
    Safe to repeat and to race. Three statements, one where nothing is sent to Langfuse."""
    source = runs_source()
    if source is None or source.sends_runs_since is None:
        return 0
    enqueued = owe_work(KIND, enqueue_from(source.sends_runs_since, source.runs_enqueued_until), now=now)
    if moves_on(enqueued, source.runs_enqueued_until, now):
        LangfuseSource.objects.filter(pk=source.pk).update(runs_enqueued_until=now)
    return enqueued


def owe_work(kind: str, since: datetime, *, now: datetime) -> int:
    """Create deliveries of this kind for all played and judged since then; return how many. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(_OWED, {"kind": kind, "now": now, "since": since, "most": AT_ONCE})
        return int(cursor.rowcount)


class LangfuseRunsAdapter:
    """Prepares and sends. Nine queries, however many are due."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        source = runs_source()
        if source is None:
            return [_refusal("no runs are sent to a Langfuse") for _ in due]
        address = address_of(source)
        rows = rows_of(due)
        return [_prepared(address, rows.get(delivery.subject_id)) for delivery in due]

    def client(self) -> Any:
        return outbound_client(langfuse_policy())


langfuse_runs_adapter = LangfuseRunsAdapter()


def rows_of(due: Sequence[DueDelivery]) -> dict[uuid.UUID, ExportedRows]:
    """The rows to send, by subject; conversations that are played again, or were deleted, are left out. Eight
    queries."""
    return {**played_conversations(_subjects(due, PLAYED)), **judgements(_subjects(due, JUDGED))}


def gone() -> DeliveryOutcome:
    """The outcome of a delivery whose rows are not there any more."""
    return _refusal("it is played again, or its words were deleted")


def _subjects(due: Sequence[DueDelivery], event: str) -> list[uuid.UUID]:
    return [delivery.subject_id for delivery in due if delivery.event.startswith(event)]


def _refusal(why: str) -> DeliveryOutcome:
    return DeliveryOutcome(delivered=False, refused=True, error=why)


def _prepared(address: LangfuseAddress, rows: ExportedRows | None) -> PreparedDelivery | DeliveryOutcome:
    if rows is None:
        return gone()
    spans = exported_spans(rows.subject, rows.work, rows.calls, rows.turns, naming=langfuse_names)
    scores = _scores(rows) if isinstance(rows, ExportedJudgement) else []

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        return await _send(client, address, spans, scores, within_s)

    return PreparedDelivery(receiver=address.base_url, send=send)


async def _send(
    client: Any, address: LangfuseAddress, spans: list[ExportedSpan], scores: list[dict[str, Any]], within_s: float
) -> DeliveryOutcome:
    """The spans, then the scores: what was there already is the same again."""
    sent = outcome_of(await send_spans(client, address, spans, within_s=within_s))
    if not sent.delivered or not scores:
        return sent
    return outcome_of(await send_scores(client, address, scores, within_s=within_s))


def _scores(rows: ExportedJudgement) -> list[dict[str, Any]]:
    """Return the scores of one of our own conversations.

    Those of a customer's go to the agent's own trace (langfuse_delivery).
    """
    row = rows.row
    if row.status != JudgementStatus.SCORED or not rows.of_trace or row.judged_at is None:
        return []
    subject_fields = {
        name: value for name, value in rows.subject.said.items() if name in ("evaluation_id", "run_id", "judge")
    }
    scores = judge_scores(
        ScoredThing(trace_id=rows.of_trace),
        row.pk,
        config=row.evaluation.config_ref,
        weighted=row.weighted_score,
        criteria={score.criterion: score.score for score in rows.scores if score.score is not None},
        reasons={score.criterion: score.reason for score in rows.scores},
        judged_at=row.judged_at,
        metadata={
            "tenant_id": rows.subject.tenant_id,
            "conversation_id": str(rows.subject.conversation_id),
            "prompt_version": rows.subject.prompt_version,
            "model": row.model,
            **subject_fields,
        },
    )
    return [{**score, "environment": OWN_ENVIRONMENT} for score in scores]
