"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig


class ChecksConfig(AppConfig):
    name = "apps.checks"
    label = "checks"

    def ready(self) -> None:
        from apps.jobs.wakeups import WorkKind, register  # noqa: PLC0415 - settings must be read first
        from apps.runs.signals import conversations_ended  # noqa: PLC0415 - as above

        register("checks", WorkKind(task="apps.checks.tasks.measure_tenant", table="checks_checkjob"))
        conversations_ended.connect(_wake)


def _wake(*, tenant: str, **_: Any) -> None:
    """What has ended may be measured."""
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "checks")
