"""Register the parts of this room when Django starts."""

from apps.jobs.wakeups import wake_on
from apps.jobs.work import Work, register
from apps.runs.signals import conversations_ended

# A validation whose probe dialogues are being played waits for these.
WAITING_VALIDATIONS = """
SELECT greatest(w.created_at, w.not_before, w.lease_expires_at, (SELECT max(c.ended_at)
  FROM {schema}.runs_conversation c WHERE c.run_id = w.probe_run)) AS since
FROM {schema}.catalog_personavalidation w
WHERE w.status = 'pending' AND NOT EXISTS (SELECT 1 FROM {schema}.runs_conversation c
  WHERE c.run_id = w.probe_run AND c.status IN ('pending', 'running'))
  AND (w.not_before IS NULL OR w.not_before <= %(now)s)
  AND (w.lease_expires_at IS NULL OR w.lease_expires_at <= %(now)s)
"""
# A customer is reviewed while the run is open; a paused one's, too.
WAITING_REVIEWS = """
SELECT greatest(w.ended_at, w.not_before, w.lease_expires_at) AS since FROM {schema}.runs_conversation w
JOIN {schema}.runs_testrun r ON r.id = w.run_id AND r.status IN ('pending', 'running', 'paused')
WHERE w.simulator_verdict = 'pending' AND w.status = 'ended'
  AND (w.not_before IS NULL OR w.not_before <= %(now)s)
  AND (w.lease_expires_at IS NULL OR w.lease_expires_at <= %(now)s)
"""
PERSONA_WORK = ("persona_validation", "simulator_reviews")

register(
    Work(
        name="persona_generation",
        label="set of personas",
        serve="apps.personas.tasks.generate",
        table="catalog_personageneration",
        metered=True,
    ),
    Work(
        name="persona_validation",
        label="persona to be validated",
        serve="apps.personas.tasks.validate",
        table="catalog_personavalidation",
        metered=True,
        freed_by=("catalog_persona", "runs_conversation", "budgets_budget", "catalog_modelprovider"),
        waiting_sql=WAITING_VALIDATIONS,
        finds=("SELECT 1 FROM {schema}.catalog_persona WHERE status = 'pending_validation'",),
    ),
    Work(
        name="simulator_reviews",
        label="battle to be reviewed",
        serve="apps.personas.tasks.review",
        queue="judging",
        table="runs_conversation",
        pending="simulator_verdict = 'pending' AND status = 'ended'",
        metered=True,
        freed_by=("runs_testrun", "budgets_budget", "catalog_modelprovider"),
        waiting_sql=WAITING_REVIEWS,
    ),
)
# A probe dialogue that has ended may be judged, and the customer of a battle reviewed.
wake_on(conversations_ended, *PERSONA_WORK)
