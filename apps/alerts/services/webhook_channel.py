"""Alerts to a webhook of one's own, signed by the Standard Webhooks specification with the channel's secret."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from apps.alerts.services.telling import CHANNEL_GONE, messages_of
from apps.alerts.services.web_addresses import alert_policy
from apps.connectors.callbacks import post_callback
from apps.connectors.outbound import outbound_client
from apps.core.timestamps import format_timestamp
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of


class WebhookChannel:
    """Success is 2xx alone."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """Prepare the messages that are due. Three queries."""
        messages = messages_of(due)
        return [_prepared(*messages[delivery.id], now) if delivery.id in messages else CHANNEL_GONE for delivery in due]

    def client(self) -> Any:
        return outbound_client(alert_policy())


webhook_channel = WebhookChannel()


def _prepared(channel: Any, message: Any, now: Callable[[], datetime]) -> PreparedDelivery:
    url, secret = channel.address.reveal(), channel.secret.reveal()
    alerts = [
        {"rule": line.rule, "severity": line.severity, "sentence": line.sentence, "url": line.url}
        for line in message.lines
    ]
    data = {"tenant": message.tenant, "count": message.count, "alerts": alerts, "url": message.url}
    document = {"type": message.event.value, "timestamp": format_timestamp(now()), "data": data}
    body = json.dumps(document, ensure_ascii=False).encode()

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        return outcome_of(await post_callback(url, message.id, body, [secret], client, now(), within_s=within_s))

    return PreparedDelivery(receiver=urlsplit(url).netloc.lower(), send=send)
