"""The outbox's adapter for deletions in a team's Langfuse: they are asked for, and followed up."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from apps.connectors.outbound import outbound_client
from apps.connectors.tracing.langfuse.deletion import delete_traces, look_for_traces
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of
from apps.production.langfuse.domain.deletion_states import LangfuseDeletionStatus
from apps.production.langfuse.models import LangfuseDeletion
from apps.production.langfuse.services.connection import address_of
from apps.production.langfuse.services.requesting_deletion import ASK, KIND, LOOK, LOOK_AFTER
from apps.production.services.outbound_policies import langfuse_policy


class LangfuseDeletionAdapter:
    """Asks, and looks whether it was done. Two queries, however many are due."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        rows = LangfuseDeletion.objects.select_related("source__connection").in_bulk(
            [delivery.subject_id for delivery in due]
        )
        return [_prepared(rows.get(delivery.subject_id), delivery.event) for delivery in due]

    def client(self) -> Any:
        return outbound_client(langfuse_policy())

    def record(self, delivery: DueDelivery, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> None:
        """Write the outcome of a deletion for its receipt; a look is owed once the deletion was asked for."""
        row = LangfuseDeletion.objects.filter(pk=delivery.subject_id)
        if not outcome.delivered:
            fields = {} if waits else {"status": LangfuseDeletionStatus.REFUSED, "ended_at": now}
            row.update(error=outcome.error[:300], **fields)
        elif delivery.event == ASK:
            row.update(status=LangfuseDeletionStatus.ASKED, error="", asked_at=now, ended_at=None)
            OutboundDelivery.objects.update_or_create(
                kind=KIND,
                subject_id=delivery.subject_id,
                event=LOOK,
                defaults={"status": "pending", "attempts": 0, "not_before": now + LOOK_AFTER},
            )
        else:
            row.update(status=LangfuseDeletionStatus.DONE, error="", ended_at=now, targets="")


langfuse_deletion_adapter = LangfuseDeletionAdapter()


def _prepared(row: LangfuseDeletion | None, event: str) -> PreparedDelivery | DeliveryOutcome:
    if row is None or row.source is None:
        return DeliveryOutcome(delivered=False, refused=True, error="the Langfuse source was removed here")
    if row.project_digest not in ("", row.source.project_digest):
        why = "the source leads to another project since: delete these traces in the former one by hand"
        return DeliveryOutcome(delivered=False, refused=True, error=why)
    address, targets = address_of(row.source), json.loads(row.targets.reveal() or "{}")
    act = delete_traces if event == ASK else look_for_traces

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        outcome = await act(client, address, targets.get("traces", ()), targets.get("sessions", ()), within_s=within_s)
        return outcome_of(outcome)

    return PreparedDelivery(receiver=address.base_url, send=send)
