"""Adapt the outbox to a receiver of OTLP.

Played conversations and judgements go as spans, a judgement's scores as events of its span. Spans are built from rows
when they are sent, masked; their ids follow from the rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.connectors.outbound import outbound_client
from apps.connectors.tracing.exported_span import ExportedSpan, span_id_of
from apps.connectors.tracing.otlp.address import OtlpAddress
from apps.connectors.tracing.otlp.sending import post_spans
from apps.core.encryption import EncryptionError
from apps.evaluations.domain.states import JudgementStatus
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of
from apps.production.exports.domain.exported_spans import exported_spans, seed_of
from apps.production.exports.queries.exported_work import ExportedJudgement, ExportedRows
from apps.production.langfuse.domain.scores import WHOLE
from apps.production.langfuse.services.delivery import enqueue_from, moves_on
from apps.production.langfuse.services.runs import gone, owe_work, rows_of
from apps.production.otlp.domain.genai_spans import genai_names, score_events
from apps.production.otlp.models import OtlpReceiver
from apps.production.otlp.services.connection import RESOURCE, address_of_receiver
from apps.production.services.outbound_policies import otlp_policy

KIND = "otlp"


def sent_to() -> OtlpReceiver | None:
    """The receiver of this tenant; None where nobody entered one. One query."""
    return OtlpReceiver.objects.select_related("connection").filter(enabled=True).first()


def enqueue_otlp(*, now: datetime) -> int:
    """Create a delivery for each conversation and judgement without one; return how many.
    Safe to repeat and to race. Three statements, one where nothing is sent to a receiver."""
    receiver = sent_to()
    if receiver is None:
        return 0
    enqueued = owe_work(KIND, enqueue_from(receiver.sends_since, receiver.enqueued_until), now=now)
    if moves_on(enqueued, receiver.enqueued_until, now):
        OtlpReceiver.objects.filter(pk=receiver.pk).update(enqueued_until=now)
    return enqueued


class OtlpAdapter:
    """Prepares and sends. Nine queries, however many are due."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        receiver = sent_to()
        if receiver is None:
            return [DeliveryOutcome(delivered=False, refused=True, error="nothing is sent by OTLP") for _ in due]
        try:
            address = address_of_receiver(receiver.connection)
        except EncryptionError as error:  # waits until the headers are entered again, or their key put back
            return [DeliveryOutcome(delivered=False, error=error.message) for _ in due]
        rows = rows_of(due)
        return [_prepared(address, rows.get(delivery.subject_id)) for delivery in due]

    def client(self) -> Any:
        return outbound_client(otlp_policy())


otlp_adapter = OtlpAdapter()


def _prepared(address: OtlpAddress, rows: ExportedRows | None) -> PreparedDelivery | DeliveryOutcome:
    if rows is None:
        return gone()
    spans = exported_spans(rows.subject, rows.work, rows.calls, rows.turns, naming=genai_names)
    if isinstance(rows, ExportedJudgement):
        spans = _beside_its_conversation(rows, spans)

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        return outcome_of(await post_spans(client, address, spans, within_s=within_s, resource=RESOURCE))

    return PreparedDelivery(receiver=address.url, send=send)


def _beside_its_conversation(rows: ExportedJudgement, spans: list[ExportedSpan]) -> list[ExportedSpan]:
    """Put a judgement's spans into the conversation's trace, under its span, with the scores.

    A conversation that was not sent by us gets a trace of its own.
    """
    row, (root, *calls) = rows.row, spans
    if row.status == JudgementStatus.SCORED and row.judged_at is not None:
        whole = {} if row.weighted_score is None else {WHOLE: (row.weighted_score, "")}
        own = {score.criterion: (score.score, score.reason) for score in rows.scores if score.score is not None}
        root = replace(root, events=score_events({**whole, **own}, at=row.judged_at))
    if rows.of_trace:
        root = replace(root, parent_id=span_id_of(seed_of(row.conversation_id, row.conversation.attempt)))
        return [replace(one, trace_id=rows.of_trace) for one in (root, *calls)]
    return [root, *calls]
