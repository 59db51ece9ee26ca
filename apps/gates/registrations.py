"""Register the parts of this room when Django starts."""

from apps.evaluations.signals import evaluations_ended
from apps.jobs.wakeups import wake_on
from apps.jobs.work import Work, register

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

register(
    Work(
        name="gates",
        label="gate of a pull request",
        serve="apps.gates.tasks.decide",
        table="gates_pullrequestgate",
        due=(),
        freed_by=("evaluations_evaluation", "runs_testrun", "runs_conversation", "checks_checkjob"),
        waiting_sql=WAITING_GATES,
        finds=("SELECT 1 FROM {schema}.gates_pullrequestgate WHERE status = 'pending'",),  # says what it waits for
    )
)
wake_on(evaluations_ended, "gates")
