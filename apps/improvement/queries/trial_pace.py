"""What earlier battles of an agent took: calls and time, the ground of a trial's forecast."""

from django.db import connection

from apps.improvement.domain.trial_forecast import ASSUMED, PastPace

NEWEST = 20  # runs

_PACE = """
WITH newest AS (
  SELECT r.id FROM runs_testrun r WHERE r.plan ->> 'kind' = 'battle' AND r.plan -> 'agent' ->> 'name' = %(agent)s
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


def past_pace(agent: str) -> PastPace:
    """Of this agent's newest battles; assumed figures where it has none. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_PACE, {"agent": agent, "newest": NEWEST})
        played, seconds, playing, judging, judged = cursor.fetchone()
    if not played:
        return ASSUMED
    calls = playing / played + (judging / judged if judged else 0.0)
    return PastPace(calls=calls, seconds=float(seconds or 0.0), sample=played)
