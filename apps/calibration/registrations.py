"""Register the parts of this room when Django starts."""

from apps.evaluations.figures.queries.stored_figures import figure_makers
from apps.evaluations.signals import evaluations_ended
from apps.jobs.adapters import interactive_handlers
from apps.jobs.wakeups import wake_on
from apps.jobs.work import Work, register

WAITING_CERTIFICATES = """
SELECT greatest(k.created_at, e.ended_at) AS since FROM {schema}.calibration_calibration k
JOIN {schema}.evaluations_evaluation e ON e.id = k.evaluation_id AND e.status IN ('completed', 'failed', 'cancelled')
WHERE NOT EXISTS (SELECT 1 FROM {schema}.calibration_certificate c WHERE c.calibration_id = k.id)
"""

register(
    Work(
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
)
interactive_handlers["judge_check"] = "apps.calibration.services.judge_check_job.run"
wake_on(evaluations_ended, "certification")
figure_makers["strata"] = "apps.calibration.queries.strata.make_strata"
