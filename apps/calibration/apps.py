"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig


class CalibrationConfig(AppConfig):
    name = "apps.calibration"
    label = "calibration"

    def ready(self) -> None:
        from apps.evaluations.signals import evaluations_ended  # noqa: PLC0415 - settings must be read first
        from apps.jobs.adapters import interactive_handlers  # noqa: PLC0415 - as above
        from apps.jobs.wakeups import WorkKind, register  # noqa: PLC0415 - as above

        task = "apps.calibration.tasks.certify_tenant"
        register("certification", WorkKind(task=task, table="calibration_calibration", due=()))
        interactive_handlers["judge_check"] = "apps.calibration.services.judge_check_job.run"
        evaluations_ended.connect(_wake)


def _wake(*, tenant: str, **_: Any) -> None:
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "certification")
