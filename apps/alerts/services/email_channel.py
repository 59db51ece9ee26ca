"""Alerts by e-mail: one message to all addresses of a channel, over the SMTP server of `.env`."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings

from apps.alerts.domain.channels import mail_addresses
from apps.alerts.services.telling import CHANNEL_GONE, messages_of
from apps.connectors.mail import MailServer, send_mail
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery

NO_SERVER = "no e-mail can be sent: RATIBA_SMTP_URL is not set"


class EmailChannel:
    """Success is that the server took it. Without a server deliveries wait, and say why."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """Prepare the messages that are due. Three queries."""
        if not settings.SMTP_URL:
            return [DeliveryOutcome(delivered=False, error=NO_SERVER) for _ in due]
        server, found = MailServer.of_url(settings.SMTP_URL), messages_of(due)
        return [
            self._prepared(server, *found[delivery.id]) if delivery.id in found else CHANNEL_GONE for delivery in due
        ]

    def client(self) -> Any:
        """Opened by the outbox for every kind; mail goes its own way."""
        return outbound_client(OutboundPolicy(private_hosts=(), purpose="alert"))

    def _prepared(self, server: MailServer, channel: Any, message: Any) -> PreparedDelivery:
        to = mail_addresses(channel.address.reveal())
        post = partial(
            send_mail,
            server,
            sender=settings.MAIL_FROM,
            to=to,
            subject=message.subject,
            text=message.text,
            message_id=message.id,
        )

        async def send(client: Any, within_s: float) -> DeliveryOutcome:
            outcome = await post(within_s=within_s)
            return DeliveryOutcome(delivered=not outcome.error, error=outcome.error, refused=outcome.permanent)

        return PreparedDelivery(receiver=server.host, send=send)


email_channel = EmailChannel()
