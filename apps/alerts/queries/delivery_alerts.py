"""Callbacks that do not arrive."""

from datetime import datetime, timedelta

from django.db.models import Count, Q

from apps.alerts.domain.conditions import Condition, Rule
from apps.core.plurals import many
from apps.jobs.domain.delivery_states import DeliveryStatus
from apps.jobs.models import OutboundDelivery

LATELY = timedelta(hours=24)
TRIES = 4  # the first three come within fifteen seconds of each other


def failing_callbacks(now: datetime) -> list[Condition]:
    """Callbacks that were given up within a day, or have failed four times and are still tried. One query."""
    given_up = Q(status__in=[DeliveryStatus.FAILED, DeliveryStatus.GONE, DeliveryStatus.REFUSED])
    tried = Q(status=DeliveryStatus.PENDING, attempts__gte=TRIES)
    rows = OutboundDelivery.objects.filter(given_up | tried, kind="callback", last_attempt_at__gte=now - LATELY)
    n = rows.aggregate(n=Count("id"))["n"]
    if not n:
        return []
    why = f"{many(n, 'callback')} could not be delivered within the last day."
    return [Condition(rule=Rule.CALLBACKS, key="callbacks", sentence=why, path="/admin/api/callback/")]
