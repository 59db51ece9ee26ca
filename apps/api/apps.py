"""The room's place in Django."""

from dataclasses import replace

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "apps.api"
    label = "api"

    def ready(self) -> None:
        from apps.jobs.adapters import adapters  # noqa: PLC0415 - settings must be read first
        from apps.jobs.services.outbound import SLOW  # noqa: PLC0415 - as above
        from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

        callbacks = Work(
            name="callbacks",
            label="callback",
            serve="apps.api.tasks.send_callbacks",
            queue="control",
            every_s=5.0,  # the first delays of the schedule
            expires_s=20.0,  # longer than a slow receiver of another tenant is waited for, too short to pile up
            table="jobs_outbounddelivery",
            pending=f"status = 'pending' AND waiting_for <> '{SLOW}'",
            begins="not_before",
            freed_by=("evaluations_evaluation", "improvement_analysis", "api_webhookkey"),
        )
        register(callbacks)
        slow = replace(
            callbacks,
            name="slow_callbacks",
            label="callback to a slow receiver",
            serve="apps.api.tasks.send_slow_callbacks",
            queue="improvement",
            every_s=60.0,  # whoever sends the others calls it earlier
            pending=f"status = 'pending' AND waiting_for = '{SLOW}'",
        )
        register(slow)
        adapters["callback"] = "apps.api.services.callback_delivery.callback_adapter"
