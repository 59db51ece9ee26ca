"""Register the parts of this room when Django starts."""

from apps.jobs.adapters import interactive_handlers
from apps.jobs.work import Work, register
from apps.runs.domain.kind_traits import PLAYABLE, sql_list
from apps.runs.domain.states import CONVERSATION_TERMINAL
from apps.runs.domain.word_index import DUE
from apps.runs.playing.queries.unsealed_runs import refuse_trials
from apps.tenants.commands import register_read_guard

# Those of a paused run wait for a person.
WAITING_CONVERSATIONS = """
SELECT greatest(c.created_at, c.not_before) AS since FROM {schema}.runs_conversation c
JOIN {schema}.runs_testrun r ON r.id = c.run_id AND r.status IN ('pending', 'running')
WHERE (c.not_before IS NULL OR c.not_before <= %(now)s)
  AND (c.status = 'pending' OR (c.status = 'running' AND c.lease_expires_at < %(now)s))
"""
# Active ones with nothing left to be played or reviewed: they are to be ended.
PLAYED_RUNS = f"""
SELECT 1 FROM {{schema}}.runs_testrun r WHERE r.status IN ('pending', 'running') AND NOT EXISTS (
  SELECT 1 FROM {{schema}}.runs_conversation c WHERE c.run_id = r.id
    AND (c.status NOT IN {sql_list(sorted(CONVERSATION_TERMINAL))} OR c.simulator_verdict = 'pending'))
"""  # noqa: S608 - words of our own
WORDS_SINCE = "SELECT coalesce(ended_at, created_at) AS since FROM {schema}.runs_conversation WHERE"

register(
    Work(
        name="playing",
        label="conversation",
        serve="apps.runs.tasks.play",
        queue="battles",
        table="runs_conversation",
        pending=f"status IN ('pending', 'running') AND kind IN {sql_list(PLAYABLE)}",
        freed_by=("runs_testrun", "budgets_budget", "catalog_modelprovider"),
        finds=(PLAYED_RUNS,),
        waiting_sql=WAITING_CONVERSATIONS,
    ),
    Work(
        name="search_words",
        label="conversation to be found by search",
        serve="apps.runs.tasks.index_words",
        table="runs_conversation",
        pending=DUE,
        waiting_sql=f"{WORDS_SINCE} {DUE}",
        every_s=60.0,
    ),
)
register_read_guard("trials", refuse_trials)
interactive_handlers["capture_session"] = "apps.runs.goldens.services.capture.capture_job.run"
interactive_handlers["provider_check"] = "apps.runs.agents.services.provider_check_job.run"
interactive_handlers["agent_check"] = "apps.runs.agents.services.check_job.run"
