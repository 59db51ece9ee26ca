"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig

# One that can be decided: both evaluations, their runs and the checks of these have ended.
WAITING_GATES = """
SELECT greatest(g.created_at, (SELECT max(e.ended_at) FROM {schema}.evaluations_evaluation e
  WHERE e.id IN (g.candidate_id, g.baseline_id))) AS since
FROM {schema}.gates_pullrequestgate g WHERE g.status = 'pending' AND NOT EXISTS (
  SELECT 1 FROM {schema}.evaluations_evaluation e JOIN {schema}.runs_testrun r ON r.id = e.run_id
  WHERE e.id IN (g.candidate_id, g.baseline_id) AND (e.status IN ('pending', 'running')
    OR r.status IN ('pending', 'running', 'paused') OR EXISTS (SELECT 1 FROM {schema}.checks_checkjob k
      JOIN {schema}.runs_conversation c ON c.id = k.conversation_id WHERE c.run_id = r.id AND k.status = 'pending')))
"""


class GatesConfig(AppConfig):
    name = "apps.gates"
    label = "gates"

    def ready(self) -> None:
        from apps.evaluations.signals import evaluations_ended  # noqa: PLC0415 - settings must be read first
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above

        gates = Work(
            name="gates",
            label="gate of a pull request",
            serve="apps.gates.tasks.decide",
            queue="improvement",
            table="gates_pullrequestgate",
            due=(),
            freed_by=("evaluations_evaluation", "runs_testrun", "runs_conversation", "checks_checkjob"),
            waiting_sql=WAITING_GATES,
        )
        register(gates)
        evaluations_ended.connect(_wake)


def _wake(*, tenant: str, **_: Any) -> None:
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "gates")
