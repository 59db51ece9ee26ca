"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig

WAITING_CERTIFICATES = """
SELECT greatest(k.created_at, e.ended_at) AS since FROM {schema}.calibration_calibration k
JOIN {schema}.evaluations_evaluation e ON e.id = k.evaluation_id AND e.status IN ('completed', 'failed', 'cancelled')
WHERE NOT EXISTS (SELECT 1 FROM {schema}.calibration_certificate c WHERE c.calibration_id = k.id)
"""


class CalibrationConfig(AppConfig):
    name = "apps.calibration"
    label = "calibration"

    def ready(self) -> None:
        from apps.evaluations.signals import evaluations_ended  # noqa: PLC0415 - settings must be read first
        from apps.jobs.adapters import interactive_handlers  # noqa: PLC0415 - as above
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above

        certification = Work(
            name="certification",
            label="certificate",
            serve="apps.calibration.tasks.certify",
            queue="control",
            every_s=60.0,
            table="calibration_calibration",
            pending="",
            due=(),
            freed_by=("calibration_certificate", "evaluations_evaluation"),
            waiting_sql=WAITING_CERTIFICATES,
        )
        register(certification)
        interactive_handlers["judge_check"] = "apps.calibration.services.judge_check_job.run"
        evaluations_ended.connect(_wake)


def _wake(*, tenant: str, **_: Any) -> None:
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "certification")
