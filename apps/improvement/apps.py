"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig


class ImprovementConfig(AppConfig):
    name = "apps.improvement"
    label = "improvement"

    def ready(self) -> None:
        from apps.evaluations.signals import evaluations_ended  # noqa: PLC0415 - settings must be read first
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above

        analysis = Work(
            name="analysis",
            label="analysis",
            serve="apps.improvement.tasks.analyse",
            queue="improvement",
            table="improvement_analysis",
        )
        register(analysis)
        evaluations_ended.connect(_wake)


def _wake(*, tenant: str, **_: Any) -> None:
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "analysis")
