"""Deliver everything that goes to a team's Langfuse as one kind; the event names the subject.

One kind, since every kind costs each tenant two calls in each tick (apps.jobs.tasks).
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from apps.connectors.outbound import outbound_client
from apps.core.encryption import EncryptionError
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DeliveryAdapter, DueDelivery, PreparedDelivery
from apps.production.langfuse.models import LangfuseSource
from apps.production.langfuse.services import delivery as langfuse_delivery
from apps.production.langfuse.services import prompts as langfuse_prompts
from apps.production.langfuse.services import runs as langfuse_runs
from apps.production.langfuse.services.deleting import langfuse_deletion_adapter
from apps.production.langfuse.services.requesting_deletion import ASK, LOOK
from apps.production.services.outbound_policies import langfuse_policy

_BY_FIRST_WORD: dict[str, DeliveryAdapter] = {
    langfuse_delivery.RATED: langfuse_delivery.langfuse_scores_adapter,
    langfuse_delivery.JUDGED: langfuse_delivery.langfuse_scores_adapter,
    langfuse_runs.PLAYED: langfuse_runs.langfuse_runs_adapter,
    langfuse_runs.JUDGED: langfuse_runs.langfuse_runs_adapter,
    langfuse_prompts.PUBLISHED: langfuse_prompts.langfuse_prompts_adapter,
    langfuse_prompts.MADE_LIVE: langfuse_prompts.langfuse_prompts_adapter,
    ASK: langfuse_deletion_adapter,
    LOOK: langfuse_deletion_adapter,
}


def enqueue_langfuse(*, now: datetime) -> int:
    """Create the missing deliveries to Langfuse; return how many. Safe to repeat and to race.
    One query where the tenant has no Langfuse."""
    if not LangfuseSource.objects.filter(enabled=True).exists():
        return 0
    return (
        langfuse_delivery.enqueue_scores(now=now)
        + langfuse_runs.enqueue_runs(now=now)
        + langfuse_prompts.enqueue_prompts(now=now)
    )


class LangfuseAdapter:
    """Prepares and sends, each event by its own adapter."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        prepared: dict[Any, PreparedDelivery | DeliveryOutcome] = {}
        for adapter in dict.fromkeys(map(_adapter_of, due)):
            some = [delivery for delivery in due if _adapter_of(delivery) is adapter]
            try:
                ready = adapter.prepare(some, now)
            except EncryptionError as error:  # waits until the key is entered again, or put back
                ready = [DeliveryOutcome(delivered=False, error=error.message) for _ in some]
            prepared |= zip((delivery.id for delivery in some), ready, strict=True)
        return [prepared[delivery.id] for delivery in due]

    def client(self) -> Any:
        return outbound_client(langfuse_policy())

    def record(self, delivery: DueDelivery, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> None:
        """Deletions say more of an attempt than the outbox does."""
        if _adapter_of(delivery) is langfuse_deletion_adapter:
            langfuse_deletion_adapter.record(delivery, outcome, waits=waits, now=now)


langfuse_adapter = LangfuseAdapter()


def _adapter_of(delivery: DueDelivery) -> DeliveryAdapter:
    return _BY_FIRST_WORD[delivery.event.partition(" ")[0]]
