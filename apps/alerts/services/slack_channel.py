"""Alerts to a Slack-compatible incoming webhook (Slack, Mattermost, Rocket.Chat, Google Chat): `{"text": …}`."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from apps.alerts.services.telling import CHANNEL_GONE, messages_of
from apps.alerts.services.web_addresses import alert_policy
from apps.connectors.callbacks import post_json
from apps.connectors.outbound import outbound_client
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of


class SlackChannel:
    """The address is the secret: nothing is signed."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """Prepare the due messages; a message whose channel is gone gets CHANNEL_GONE. Three queries."""
        messages = messages_of(due)
        return [_prepared(*messages[delivery.id]) if delivery.id in messages else CHANNEL_GONE for delivery in due]

    def client(self) -> Any:
        return outbound_client(alert_policy())


slack_channel = SlackChannel()


def _prepared(channel: Any, message: Any) -> PreparedDelivery:
    url = channel.address.reveal()
    body = json.dumps({"text": escaped(f"*{message.subject}*\n{message.text}")}, ensure_ascii=False).encode()

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        return outcome_of(await post_json(url, body, client, within_s=within_s))

    return PreparedDelivery(receiver=urlsplit(url).netloc.lower(), send=send)


def escaped(text: str) -> str:
    """Escape the text for Slack, so that a `<!channel>` in a run's name notifies nobody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
