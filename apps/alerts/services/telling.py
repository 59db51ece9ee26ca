"""Messages to channels: rows of the outbox, whose adapters read here what to say."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from apps.alerts.domain.wording import MAX_LINES, AlertEvent, Message, MessageLine
from apps.alerts.models import Alert, AlertChannel, AlertMessage
from apps.audit.masked_rows import masked_rows
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.models import OutboundDelivery, message_id
from apps.jobs.services.outbound import DueDelivery
from apps.tenants.context import current_slug

CHANNEL_GONE = DeliveryOutcome(delivered=False, error="its channel was taken away", gone=True)


def delivery_name(channel_kind: str) -> str:
    """The outbox's name for deliveries of this kind of channel."""
    return f"alert_{channel_kind}"


def tell(
    *,
    alerts: Sequence[Alert],
    origin: str,
    now: datetime,
    channels: Sequence[AlertChannel] | None = None,
    trial: bool = False,
    event: AlertEvent = AlertEvent.OPENED,
) -> int:
    """Write one message of these alerts for each channel that is on (or for these channels), and its delivery; how
    many. `event`: of their beginning or of their end. In the caller's transaction, some three statements each."""
    receivers = AlertChannel.objects.filter(enabled=True) if channels is None else channels
    written = 0
    for channel in receivers:
        message = AlertMessage(channel=channel, origin=origin, trial=trial)
        message.save(force_insert=True)
        AlertMessage.objects.filter(pk=message.pk).update(created_at=now)
        message.alerts.set(alerts)
        OutboundDelivery.objects.create(
            kind=delivery_name(channel.kind), subject_id=message.pk, event=event.value, not_before=now
        )
        written += 1
    return written


def messages_of(due: Sequence[DueDelivery]) -> dict[UUID, tuple[AlertChannel, Message]]:
    """The message of each of these deliveries, with its channel; without those whose channel is gone. Three queries."""
    rows = AlertMessage.objects.filter(pk__in=[delivery.subject_id for delivery in due]).select_related("channel")
    by_id = {row.pk: row for row in rows.prefetch_related("alerts")}
    return {
        delivery.id: (
            by_id[delivery.subject_id].channel,
            _message(by_id[delivery.subject_id], message_id(delivery.id), AlertEvent(delivery.event)),
        )
        for delivery in due
        if delivery.subject_id in by_id
    }


def _message(row: AlertMessage, id: str, event: AlertEvent = AlertEvent.OPENED) -> Message:
    origin = row.origin.rstrip("/")
    url = f"{origin}/alerts/"
    if row.trial:
        line = MessageLine(rule="trial", severity="trial", sentence="This is how an alert arrives here.", url="")
        return Message(
            id=id, tenant=current_slug(), lines=[line], url=url, count=1, event=event, seen_at=row.created_at
        )
    alerts = sorted(
        masked_rows(row.alerts.all()),
        key=lambda masked_row: (masked_row.severity, masked_row.opened_at, masked_row.key),
    )
    lines = [
        MessageLine(
            rule=alert.rule,
            severity=alert.severity,
            sentence=alert.sentence,
            url=f"{origin}{alert.path}" if alert.path else "",
        )
        for alert in alerts[:MAX_LINES]
    ]
    return Message(
        id=id, tenant=current_slug(), lines=lines, url=url, count=len(alerts), event=event, seen_at=row.created_at
    )
