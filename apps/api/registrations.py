"""What this room registers when Django starts."""

from apps.core.events import EventType
from apps.jobs.deliveries import DeliveryKind, register_delivery

register_delivery(
    DeliveryKind(
        name="callback",
        label="callback",
        work="callbacks",
        adapter="apps.api.services.callback_delivery.callback_adapter",
        enqueue="apps.api.services.callbacks.enqueue_callbacks",
        after="apps.api.services.idempotency.evict_cached",
        sent=EventType.CALLBACK_SENT,
        failed=EventType.CALLBACK_FAILED,
        freed_by=("evaluations_evaluation", "improvement_analysis", "api_webhookkey"),
        page="/admin/api/callback/",
    )
)
