"""Register the parts of this room when Django starts."""

from django.conf import settings

from apps.jobs.adapters import interactive_handlers
from apps.jobs.wakeups import wake_on
from apps.jobs.work import Work, register
from apps.runs.signals import conversations_ended

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

# As the index evaluation_figures_due has it.
FIGURES_DUE = """
SELECT 1 FROM {schema}.evaluations_evaluation WHERE status IN ('completed', 'failed', 'timeout', 'cancelled')
  AND NOT (sums ? 'shape' AND sums IS NOT NULL)
"""

register(
    Work(
        name="judging",
        label="judgement",
        serve="apps.evaluations.tasks.judge",
        queue="judging",
        table="evaluations_judgement",
        workers=lambda: settings.JUDGING_LANES,
        freed_by=("evaluations_evaluation", "runs_conversation", "budgets_budget", "catalog_modelprovider"),
        waiting_sql=WAITING_JUDGEMENTS,
        finds=(
            "SELECT 1 FROM {schema}.evaluations_evaluation WHERE status IN ('pending', 'running')",
            FIGURES_DUE,
            "SELECT 1 FROM {schema}.budgets_budget WHERE stopped_at IS NOT NULL",
            "SELECT 1 FROM {schema}.budgets_modelcall WHERE expires_at <= %(now)s",
        ),
    )
)
interactive_handlers["try_agent"] = "apps.evaluations.requests.services.try_agent_job.run"
interactive_handlers["dry_runs"] = "apps.evaluations.requests.services.dry_run_job.run"
wake_on(conversations_ended, "judging")  # what has ended may be judged, or an evaluation end
