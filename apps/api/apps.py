"""The room's place in Django."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "apps.api"
    label = "api"

    def ready(self) -> None:
        from apps.core.events import EventType  # noqa: PLC0415 - settings must be read first
        from apps.jobs.deliveries import DeliveryKind, register_delivery  # noqa: PLC0415 - as above

        callbacks = DeliveryKind(
            name="callback",
            label="callback",
            work="callbacks",
            adapter="apps.api.services.callback_delivery.callback_adapter",
            enqueue="apps.api.services.callbacks.enqueue_callbacks",
            after="apps.api.services.idempotency.evict_cached",
            sent=EventType.CALLBACK_SENT,
            failed=EventType.CALLBACK_FAILED,
            freed_by=("evaluations_evaluation", "improvement_analysis", "api_webhookkey"),
        )
        register_delivery(callbacks)
