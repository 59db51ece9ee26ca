"""The page of alerts: what is wrong now, what was, and who is told how."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Subquery

from apps.alerts.domain.conditions import Rule
from apps.alerts.models import Alert, AlertChannel, AlertMessage, AlertRound, AlertRuleSetting
from apps.alerts.queries.open_alerts import last_look_at
from apps.alerts.registrations import CHANNELS
from apps.alerts.rules import TITLES
from apps.alerts.services.telling import delivery_name
from apps.core.plurals import many
from apps.jobs.models import OutboundDelivery

_SHOWN = 100
_STALE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLine:
    """Line of a channel. `last` is the result of the last message, None where there was none."""

    row: AlertChannel
    kind: str
    last: OutboundDelivery | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertsPage:
    headline: str
    note: str
    open: Sequence[Alert]  # seen at the last look
    gone: Sequence[Alert]  # not seen then, and not over yet: it may come back
    over: Sequence[Alert]
    channels: Sequence[ChannelLine]
    kinds: Sequence[tuple[str, str]]
    rules: Sequence[tuple[str, str, bool]]


def alerts_page(*, now: datetime) -> AlertsPage:
    """Return the alerts page. Seven queries, whatever the number of alerts."""
    rows = list(Alert.objects.order_by("-opened_at")[:_SHOWN])
    unresolved = sorted((row for row in rows if row.resolved_at is None), key=lambda row: (row.severity, row.opened_at))
    last_look = last_look_at()
    going = [row for row in unresolved if last_look is None or row.seen_at >= last_look]
    off = set(AlertRuleSetting.objects.filter(enabled=False).values_list("rule", flat=True))
    channels = _channels()
    return AlertsPage(
        headline=f"{many(len(going), 'thing is', 'things are')} wrong now."
        if going
        else "No rule finds anything wrong now.",
        note=_note(channels, now),
        open=going,
        gone=[row for row in unresolved if row not in going],
        over=[row for row in rows if row.resolved_at is not None],
        channels=channels,
        kinds=[(kind, called) for kind, (called, _) in CHANNELS.items()],
        rules=[(rule.value, TITLES[rule], rule.value not in off) for rule in Rule],
    )


def _note(channels: Sequence[ChannelLine], now: datetime) -> str:
    look = AlertRound.objects.first()
    if look is None:
        return "Nobody looks yet: the rules are looked at every minute from the moment you add a channel."
    if look.not_before is not None and look.not_before < now - _STALE:
        return "The rules were not looked at for ten minutes and more: are the workers running?"
    if not any(channel.row.enabled for channel in channels):
        return "Nobody is told: every channel is off."
    return "The rules are looked at every minute. What is wrong is told once."


def _channels() -> list[ChannelLine]:
    newest: Any = AlertMessage.objects.filter(channel=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    rows = list(AlertChannel.objects.annotate(last_message=Subquery(newest)).order_by("name"))
    ids = [row.last_message for row in rows if row.last_message]
    kinds = [delivery_name(kind) for kind in CHANNELS]
    last = {
        outbound_delivery.subject_id: outbound_delivery
        for outbound_delivery in OutboundDelivery.objects.filter(kind__in=kinds, subject_id__in=ids)
    }
    return [
        ChannelLine(
            row=row, kind=CHANNELS[row.kind][0] if row.kind in CHANNELS else row.kind, last=last.get(row.last_message)
        )
        for row in rows
    ]
