"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig


class GatesConfig(AppConfig):
    name = "apps.gates"
    label = "gates"

    def ready(self) -> None:
        from apps.evaluations.signals import evaluations_ended  # noqa: PLC0415 - settings must be read first
        from apps.jobs.wakeups import WorkKind, register  # noqa: PLC0415 - as above

        freed_by = ("evaluations_evaluation", "checks_checkjob")
        work = WorkKind(task="apps.gates.tasks.decide_tenant", table="gates_pullrequestgate", due=(), freed_by=freed_by)
        register("gates", work)
        evaluations_ended.connect(_wake)


def _wake(*, tenant: str, **_: Any) -> None:
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "gates")
