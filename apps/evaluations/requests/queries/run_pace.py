"""The pace of an agent's earlier runs, in calls and time: forecasts start from it. Rules answer in no time and a model
on one's own machine in minutes, so that only runs with the same models say anything of a run's time."""

from django.db import connection

from apps.catalog.configs.queries.judges import model_in_force
from apps.catalog.models import Agent
from apps.evaluations.requests.domain.run_time import ASSUMED, PastPace, RunTime, minutes_to_play
from apps.runs.domain.states import Kind
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

NEWEST = 20  # runs

_PACE = """
WITH newest AS (
  SELECT r.id FROM runs_testrun r WHERE r.plan ->> 'kind' = %(kind)s AND r.plan -> 'agent' ->> 'name' = %(agent)s
    AND (%(simulator)s IS NULL OR (r.plan -> 'simulator' ->> 'provider', r.plan -> 'simulator' ->> 'model')
      = (%(provider)s, %(simulator)s))
    AND (%(speaker)s IS NULL OR r.plan -> 'agent' -> 'options' ->> 'model' = %(speaker)s)
  ORDER BY r.id DESC LIMIT %(newest)s
), played AS (
  SELECT count(*) AS n, avg(extract(epoch FROM c.ended_at - c.started_at)) AS seconds
  FROM runs_conversation c WHERE c.run_id IN (SELECT id FROM newest) AND c.status = 'ended'
    AND c.started_at IS NOT NULL AND c.ended_at IS NOT NULL
), calls AS (
  SELECT count(*) FILTER (WHERE m.evaluation_id IS NULL) AS playing,
    count(*) FILTER (WHERE m.evaluation_id IS NOT NULL) AS judging,
    count(DISTINCT (m.evaluation_id, m.conversation_id)) FILTER (WHERE m.evaluation_id IS NOT NULL) AS judged
  FROM budgets_modelcall m WHERE m.run_id IN (SELECT id FROM newest) AND NOT m.cached
)
SELECT p.n, p.seconds, c.playing, c.judging, c.judged FROM played p, calls c
"""


def past_pace(agent: str, kind: Kind = Kind.BATTLE) -> PastPace:
    """Return the pace of this agent's newest runs of the kind with the models in force.

    Assumed figures where it has none. Four queries.
    """
    customer = model_in_force("simulator") if kind is Kind.BATTLE else None
    options = Agent.objects.filter(name=agent).values_list("options", flat=True).first() or {}
    parameters = {
        "agent": agent,
        "kind": kind.value,
        "newest": NEWEST,
        "speaker": options.get("model"),
        "provider": customer.provider if customer else None,
        "simulator": customer.model if customer else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(_PACE, parameters)
        played, seconds, playing, judging, judged = cursor.fetchone()
    if not played:
        return ASSUMED
    calls = playing / played + (judging / judged if judged else 0.0)
    return PastPace(calls=calls, seconds=float(seconds or 0.0), sample=played)


def run_time(*, kind: Kind, agent: str, conversations: int) -> RunTime:
    """Forecast how long playing so many conversations with this agent takes.

    The agent's pace and the tenant's limits are kept. Three queries at most.
    """
    config, pace = workflow_config(current_slug()), past_pace(agent, kind)
    stagger = agent_stagger(agent) or config.battle_stagger_s
    minutes = minutes_to_play(conversations, pace=pace, stagger_s=stagger, at_once=config.max_concurrent_battles)
    return RunTime(minutes=minutes, sample=pace.sample)


def agent_stagger(agent: str) -> tuple[float, float] | None:
    """The pause between the beginnings of its conversations, where the agent has one of its own. One query."""
    own = Agent.objects.filter(name=agent).values_list("stagger_min_s", "stagger_max_s").first()
    low, high = own or (None, None)
    return None if low is None else (float(low), float(low if high is None else high))
