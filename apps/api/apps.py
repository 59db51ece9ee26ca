"""The room's place in Django."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "apps.api"
    label = "api"

    def ready(self) -> None:
        from apps.jobs.adapters import adapters  # noqa: PLC0415 - settings must be read first
        from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

        callbacks = Work(
            name="callbacks",
            label="callback",
            task="apps.api.tasks.send_tenant_callbacks",
            table="jobs_outbounddelivery",
            begins="not_before",
            freed_by=("evaluations_evaluation", "improvement_analysis", "api_webhookkey"),
        )
        register(callbacks)
        adapters["callback"] = "apps.api.services.callback_delivery.callback_adapter"
