"""Which keys open the door now."""

from datetime import datetime

from django.db.models import Q

from apps.api.models import WebhookKey


def live_webhook_keys(*, now: datetime) -> list[WebhookKey]:
    """Neither revoked nor expired, newest first. One query; reads secrets."""
    live = WebhookKey.objects.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at__isnull=True)
    return list(live.order_by("-created_at"))
