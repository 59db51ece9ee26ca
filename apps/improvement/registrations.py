"""Register the parts of this room when Django starts."""

from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from apps.catalog.signals import prompt_went_live
from apps.evaluations.signals import evaluations_ended
from apps.improvement.analysis.services.enqueue_analyses import LACKS_ANALYSIS
from apps.improvement.drafts.queries.families import scenarios_sealed_for
from apps.improvement.failure_modes.services.word_deletion import delete_words
from apps.jobs.wakeups import wake_on
from apps.jobs.work import Work, register
from apps.runs.sealed_scenarios import register_sealed_scenarios
from apps.runs.signals import words_deleted

# One that can go on: not started yet, or every side's run and evaluation has ended.
WAITING_TRIALS = """
SELECT greatest(t.created_at, (SELECT max(e.ended_at) FROM {schema}.improvement_trialside s
  JOIN {schema}.evaluations_evaluation e ON e.id = s.evaluation_id WHERE s.trial_id = t.id)) AS since
FROM {schema}.improvement_trial t WHERE t.status = 'pending' OR (t.status = 'running' AND NOT EXISTS (
  SELECT 1 FROM {schema}.improvement_trialside s
  JOIN {schema}.evaluations_evaluation e ON e.id = s.evaluation_id JOIN {schema}.runs_testrun r ON r.id = s.test_run_id
  WHERE s.trial_id = t.id AND (e.status IN ('pending', 'running') OR r.status IN ('pending', 'running', 'paused'))))
UNION ALL
SELECT max(j.judged_at) FROM {schema}.improvement_trial t
JOIN {schema}.improvement_trialside s ON s.trial_id = t.id AND s.side = 'draft'
JOIN {schema}.evaluations_judgement j ON j.evaluation_id = s.evaluation_id AND j.status = 'scored'
WHERE t.status = 'running' AND t.futility GROUP BY t.id, s.test_run_id HAVING count(*) > t.interim_scored
  AND 2 * count(*) >= (SELECT count(*) FROM {schema}.runs_conversation c WHERE c.run_id = s.test_run_id)
"""
# One that waits for no model, no trial and no mode of its own.
WAITING_OPTIMIZATIONS = """
SELECT o.created_at AS since FROM {schema}.improvement_optimization o WHERE o.status IN ('pending', 'running')
  AND NOT EXISTS (SELECT 1 FROM {schema}.improvement_analysis a WHERE a.id = o.analysis_id AND a.status = 'pending'
    AND o.proposed_at IS NULL AND NOT EXISTS (SELECT 1 FROM {schema}.budgets_budget b
      WHERE b.kind = 'pull_request' AND b.name = 'optimization ' || o.id AND b.stopped_at IS NOT NULL))
  AND NOT EXISTS (SELECT 1 FROM {schema}.improvement_trial t WHERE t.status IN ('pending', 'running')
    AND (t.id = o.proof_id OR o.searched_at IS NULL AND o.search -> 'trials' <> '{{}}'
      AND t.budget_name = 'optimization ' || o.id))
  AND NOT EXISTS (SELECT 1 FROM {schema}.improvement_optimizationdraft d
    LEFT JOIN {schema}.improvement_fixproposal p ON p.id = d.proposal_id
    LEFT JOIN {schema}.improvement_trial t ON t.id = d.trial_id
    WHERE d.optimization_id = o.id AND d.left_out = ''
      AND ((d.draft_id IS NULL AND coalesce(p.status, 'pending') = 'pending') OR t.status IN ('pending', 'running'))
      AND NOT EXISTS (SELECT 1 FROM {schema}.budgets_budget b
        WHERE b.kind = 'pull_request' AND b.name = 'optimization ' || o.id AND b.stopped_at IS NOT NULL))
"""

register(
    Work(
        name="analysis",
        label="analysis",
        serve="apps.improvement.tasks.analyse",
        table="improvement_analysis",
        metered=True,
        finds=(f"SELECT 1 {LACKS_ANALYSIS}",),
    ),
    Work(
        name="proposal",
        label="proposal of a fix",
        serve="apps.improvement.tasks.propose",
        table="improvement_fixproposal",
        metered=True,
    ),
    Work(
        name="playground",
        label="playground",
        serve="apps.improvement.tasks.playground",
        table="improvement_playground",
        metered=True,
    ),
    Work(
        name="mode_grouping",
        label="grouping of notes",
        serve="apps.improvement.tasks.group_notes",
        table="improvement_modegrouping",
        metered=True,
    ),
    Work(
        name="trial",
        label="trial of a draft",
        serve="apps.improvement.tasks.trial",
        table="improvement_trial",
        pending="status IN ('pending', 'running')",
        due=(),
        freed_by=(
            "improvement_trialside",
            "evaluations_evaluation",
            "evaluations_judgement",
            "runs_testrun",
            "runs_conversation",
        ),
        waiting_sql=WAITING_TRIALS,
        finds=("SELECT 1 FROM {schema}.improvement_trial WHERE status IN ('pending', 'running')",),
    ),
    Work(
        name="optimization",
        label="optimization",
        serve="apps.improvement.tasks.optimize",
        table="improvement_optimization",
        pending="status IN ('pending', 'running')",
        due=(),
        freed_by=(
            "improvement_optimizationdraft",
            "improvement_analysis",
            "improvement_fixproposal",
            "improvement_trial",
            "budgets_budget",
        ),
        waiting_sql=WAITING_OPTIMIZATIONS,
        finds=("SELECT 1 FROM {schema}.improvement_optimization WHERE status IN ('pending', 'running')",),
    ),
)
wake_on(evaluations_ended, "analysis", "trial")
register_sealed_scenarios("hold-out", scenarios_sealed_for)


@receiver(words_deleted)
def _delete_words(*, conversation_ids: Any, **_: Any) -> None:
    delete_words(conversation_ids=conversation_ids)


@receiver(prompt_went_live)
def _mark_seen_live(*, name: str, version: str, **_: Any) -> None:
    from apps.improvement.drafts.services.releasing_drafts import mark_seen_live  # noqa: PLC0415 - it loads a tenth of a second

    mark_seen_live(name=name, version=version, now=timezone.now())
