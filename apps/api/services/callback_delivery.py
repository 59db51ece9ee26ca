"""The adapter of callbacks (apps.jobs.services.outbound): one signed Standard Webhooks POST for each event.

The body is built when it is sent. The webhook-id is the delivery's, so it never changes.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from apps.api.queries.keys import live_webhook_keys
from apps.api.services.callbacks import callback_body
from apps.api.services.submissions import callback_policy
from apps.connectors.callbacks import post_callback
from apps.connectors.outbound import outbound_client
from apps.evaluations.models import Evaluation
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.models import message_id
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of

NO_KEY = "there is no webhook key to sign with: make one under Webhook keys"


class CallbackAdapter:
    """Posts callbacks; without a webhook key, deliveries wait and say why."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """Sign the bodies. Two queries, and those of `callback_body` for each evaluation."""
        secrets = [key.secret.reveal() for key in live_webhook_keys(now=now())]
        if not secrets:
            return [DeliveryOutcome(delivered=False, error=NO_KEY) for _ in due]
        ids = [delivery.subject_id for delivery in due]
        rows = {row.pk: row for row in Evaluation.objects.filter(pk__in=ids)}
        return [_prepared(delivery, rows[delivery.subject_id], secrets, now) for delivery in due]

    def client(self) -> Any:
        return outbound_client(callback_policy())


callback_adapter = CallbackAdapter()


def _prepared(
    delivery: DueDelivery, evaluation: Evaluation, secrets: Sequence[str], now: Callable[[], datetime]
) -> PreparedDelivery:
    url, event_id = evaluation.callback_url, message_id(delivery.id)
    body = callback_body(evaluation, delivery.event, now())

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        return outcome_of(await post_callback(url, event_id, body, secrets, client, now(), within_s=within_s))

    return PreparedDelivery(receiver=urlsplit(url).netloc.rpartition("@")[2].lower(), send=send)
