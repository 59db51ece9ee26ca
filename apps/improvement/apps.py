"""The room's place in Django."""

from typing import Any

from django.apps import AppConfig

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

PLAIN_WORK = (  # name, label, task, table
    ("analysis", "analysis", "analyse", "analysis"),
    ("proposal", "proposal of a fix", "propose", "fixproposal"),
    ("playground", "playground", "playground", "playground"),
    ("mode_grouping", "grouping of notes", "group_notes", "modegrouping"),
)


TRIAL_WORK: dict[str, Any] = {
    "name": "trial",
    "label": "trial of a draft",
    "serve": "apps.improvement.tasks.trial",
    "queue": "improvement",
    "table": "improvement_trial",
    "pending": "status IN ('pending', 'running')",
    "due": (),
    "freed_by": (
        "improvement_trialside", "evaluations_evaluation", "evaluations_judgement", "runs_testrun", "runs_conversation",
    ),
    "waiting_sql": WAITING_TRIALS,
}  # fmt: skip
OPTIMIZATION_WORK: dict[str, Any] = {
    "name": "optimization",
    "label": "optimization",
    "serve": "apps.improvement.tasks.optimize",
    "queue": "improvement",
    "table": "improvement_optimization",
    "pending": "status IN ('pending', 'running')",
    "due": (),
    "freed_by": (
        "improvement_optimizationdraft", "improvement_analysis", "improvement_fixproposal", "improvement_trial",
        "budgets_budget",
    ),
    "waiting_sql": WAITING_OPTIMIZATIONS,
}  # fmt: skip


class ImprovementConfig(AppConfig):
    name = "apps.improvement"
    label = "improvement"

    def ready(self) -> None:
        from apps.catalog.signals import prompt_went_live  # noqa: PLC0415 - settings must be read first
        from apps.evaluations.signals import evaluations_ended  # noqa: PLC0415 - settings must be read first
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above
        from apps.runs.sealed_scenarios import register_sealed_scenarios  # noqa: PLC0415 - as above
        from apps.runs.signals import words_deleted  # noqa: PLC0415 - as above

        for name, label, serve, table in PLAIN_WORK:
            served = f"apps.improvement.tasks.{serve}"
            register(Work(name=name, label=label, serve=served, queue="improvement", table=f"improvement_{table}"))
        for work in (TRIAL_WORK, OPTIMIZATION_WORK):
            register(Work(**work))
        evaluations_ended.connect(_wake)
        words_deleted.connect(_forget_words)
        prompt_went_live.connect(_seen_live)
        register_sealed_scenarios("hold-out", _sealed_scenarios)


def _wake(*, tenant: str, **_: Any) -> None:
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "analysis", "trial")


def _forget_words(*, conversation_ids: Any, **_: Any) -> None:
    from apps.improvement.services.word_deletion import delete_words  # noqa: PLC0415 - settings must be read first

    delete_words(conversation_ids=conversation_ids)


def _seen_live(*, name: str, digest: str, **_: Any) -> None:
    from django.utils import timezone  # noqa: PLC0415 - settings must be read first

    from apps.improvement.services.releasing_drafts import mark_seen_live  # noqa: PLC0415 - as above

    mark_seen_live(name=name, digest=digest, now=timezone.now())


def _sealed_scenarios(prompt: str) -> list[str]:
    from apps.improvement.queries.families import scenarios_sealed_for  # noqa: PLC0415 - settings must be read first

    return scenarios_sealed_for(prompt)
