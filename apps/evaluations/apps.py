"""The room's place in Django."""

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    name = "apps.evaluations"
    label = "evaluations"

    def ready(self) -> None:
        from apps.evaluations.knocking import on_conversations_ended  # noqa: PLC0415 - settings must be read first
        from apps.runs.signals import conversations_ended  # noqa: PLC0415 - as above

        conversations_ended.connect(on_conversations_ended)
