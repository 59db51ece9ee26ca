"""Deliveries of any kind that do not arrive."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q

from apps.alerts.domain.conditions import Condition, Rule
from apps.jobs.deliveries import DeliveryKind, delivery_kinds
from apps.jobs.domain.delivery_states import GIVEN_UP, DeliveryStatus
from apps.jobs.models import OutboundDelivery

LATELY = timedelta(hours=24)
TRIES = 4  # the first three come within fifteen seconds of each other


def failing_deliveries(now: datetime) -> list[Condition]:
    """Kinds of deliveries of which some were given up within a day, or have failed four times and are still tried. One
    query."""
    tried = Q(status=DeliveryStatus.PENDING, attempts__gte=TRIES)
    rows = OutboundDelivery.objects.filter(Q(status__in=GIVEN_UP) | tried, last_attempt_at__gte=now - LATELY)
    counts = rows.values("kind").annotate(n=Count("id"), given_up=Count("id", filter=Q(status__in=GIVEN_UP)))
    kinds = {kind.name: kind for kind in delivery_kinds()}
    return [_condition(kinds.get(count["kind"]), count) for count in counts.order_by("kind")]


def _condition(kind: DeliveryKind | None, counted: Mapping[str, Any]) -> Condition:
    label = kind.label if kind else counted["kind"]
    rest = f", {counted['given_up']} of them given up" if counted["given_up"] else ""
    return Condition(
        rule=Rule.DELIVERIES,
        key=counted["kind"],
        sentence=f"{label[:1].upper()}{label[1:]}: {counted['n']} did not arrive within the last day{rest}.",
        path=kind.page if kind else "",
    )
