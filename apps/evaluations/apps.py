"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig

# An evaluation nobody has begun owes its judgements still.
DUE_JUDGEMENTS = """
EXISTS (SELECT 1 FROM {schema}.evaluations_judgement j JOIN {schema}.evaluations_evaluation e ON e.id = j.evaluation_id
  WHERE j.status = 'pending' AND e.status IN ('pending', 'running')
    AND (j.not_before IS NULL OR j.not_before <= %(now)s)
    AND (j.lease_expires_at IS NULL OR j.lease_expires_at < %(now)s))
OR EXISTS (SELECT 1 FROM {schema}.evaluations_evaluation e JOIN {schema}.runs_conversation c ON c.run_id = e.run_id
  WHERE e.status = 'pending' AND c.status IN ('ended', 'failed', 'timeout', 'cancelled')
    AND c.simulator_verdict <> 'pending'
    AND NOT EXISTS (SELECT 1 FROM {schema}.evaluations_judgement j WHERE j.evaluation_id = e.id))
"""


class EvaluationsConfig(AppConfig):
    name = "apps.evaluations"
    label = "evaluations"

    def ready(self) -> None:
        from django.conf import settings  # noqa: PLC0415 - settings must be read first

        from apps.jobs.adapters import interactive_handlers  # noqa: PLC0415 - as above
        from apps.jobs.wakeups import WorkKind, register  # noqa: PLC0415 - as above
        from apps.runs.signals import conversations_ended  # noqa: PLC0415 - as above

        judging = WorkKind(
            task="apps.evaluations.tasks.judge_tenant",
            table="evaluations_judgement",
            workers=lambda: settings.JUDGING_LANES,
            freed_by=("evaluations_evaluation", "runs_conversation", "budgets_budget", "catalog_modelprovider"),
            slots="judging",
            due_sql=DUE_JUDGEMENTS,
        )
        register("judging", judging)
        interactive_handlers["dry_runs"] = "apps.evaluations.services.dry_run_job.run"
        conversations_ended.connect(_judge_what_ended)


def _judge_what_ended(*, tenant: str, **_: Any) -> None:
    """What has ended may be judged, or an evaluation end."""
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "judging")
