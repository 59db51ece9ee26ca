"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig

# Judgements of open evaluations, and the evaluations whose judgements nobody has written down yet.
WAITING_JUDGEMENTS = """
SELECT greatest(j.created_at, j.not_before) AS since FROM {schema}.evaluations_judgement j
JOIN {schema}.evaluations_evaluation e ON e.id = j.evaluation_id AND e.status IN ('pending', 'running')
WHERE j.status = 'pending' AND (j.not_before IS NULL OR j.not_before <= %(now)s)
  AND (j.lease_expires_at IS NULL OR j.lease_expires_at < %(now)s)
UNION ALL
SELECT greatest(e.created_at, c.ended_at) AS since FROM {schema}.evaluations_evaluation e
CROSS JOIN LATERAL (SELECT c.ended_at FROM {schema}.runs_conversation c WHERE c.run_id = e.run_id
  AND c.status IN ('ended', 'failed', 'timeout', 'cancelled') AND c.simulator_verdict <> 'pending'
  ORDER BY c.ended_at LIMIT 1) c
WHERE e.status = 'pending'
  AND NOT EXISTS (SELECT 1 FROM {schema}.evaluations_judgement j WHERE j.evaluation_id = e.id)
"""


class EvaluationsConfig(AppConfig):
    name = "apps.evaluations"
    label = "evaluations"

    def ready(self) -> None:
        from django.conf import settings  # noqa: PLC0415 - settings must be read first

        from apps.jobs.adapters import interactive_handlers  # noqa: PLC0415 - as above
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above
        from apps.runs.signals import conversations_ended  # noqa: PLC0415 - as above

        judging = Work(
            name="judging",
            label="judgement",
            serve="apps.evaluations.tasks.judge",
            queue="judging",
            table="evaluations_judgement",
            workers=lambda: settings.JUDGING_LANES,
            freed_by=("evaluations_evaluation", "runs_conversation", "budgets_budget", "catalog_modelprovider"),
            slots="judging",
            waiting_sql=WAITING_JUDGEMENTS,
        )
        register(judging)
        interactive_handlers["dry_runs"] = "apps.evaluations.services.dry_run_job.run"
        conversations_ended.connect(_judge_what_ended)


def _judge_what_ended(*, tenant: str, **_: Any) -> None:
    """What has ended may be judged, or an evaluation end."""
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "judging")
