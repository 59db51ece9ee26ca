"""The status of a run or an evaluation: one query, cheap enough to poll.

`status` is that of all that was asked for: a run that was played is `running` until its evaluations are judged, and an
evaluation with `run_analyzer` until its analysis has ended. Who stops polling at a terminal state misses nothing.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from apps.core.errors import NotFound
from apps.core.plurals import many
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.progress.domain.waiting import Wait, WorkProgress, progress, waiting_for
from apps.runs.domain.kind_traits import JUDGEABLE, sql_list
from apps.runs.domain.states import CONVERSATION_TERMINAL, ConversationStatus, RunStatus

# Who is busy (a lease that has not ended) and what the others wait for, by reason. States are asked for as ranges, so
# that no partial index answers: what is open in the whole tenant is few rows at one time and thousands at another.
_WORK = """
(SELECT jsonb_agg(jsonb_build_array(w.waiting_for, w.busy, w.waiting, w.until)) FROM (
  SELECT x.waiting_for, count(*) FILTER (WHERE x.lease_expires_at > %(now)s) AS busy,
    count(*) FILTER (WHERE x.not_before > %(now)s) AS waiting,
    extract(epoch FROM min(x.not_before) FILTER (WHERE x.not_before > %(now)s)) AS until
  FROM {table} x WHERE {open} GROUP BY x.waiting_for ORDER BY x.waiting_for) w)
"""
_PLAYING = _WORK.format(
    table="runs_conversation",
    open="x.run_id = r.id AND x.status BETWEEN 'pending' AND 'running' "  # and nothing between
    f"AND x.kind IN {sql_list(JUDGEABLE)}",
)
_UNREVIEWED = "x.run_id = r.id AND x.simulator_verdict BETWEEN 'pending' AND 'pending'"
_REVIEWING = _WORK.format(table="runs_conversation", open=_UNREVIEWED)
_JUDGING = _WORK.format(
    table="evaluations_judgement", open="x.evaluation_id = ANY(a.ids) AND x.status BETWEEN 'pending' AND 'pending'"
)
_STATUS = """
WITH e AS MATERIALIZED (SELECT id, status, run_id, run_analyzer FROM evaluations_evaluation WHERE {which})
SELECT r.status, (SELECT jsonb_agg(jsonb_build_array(e.id, e.status) ORDER BY e.id) FROM e),
  (SELECT jsonb_object_agg(c.status, c.n) FROM (
    SELECT status, count(*) AS n FROM runs_conversation WHERE run_id = r.id GROUP BY status) c),
  (SELECT count(*) FROM evaluations_judgement j WHERE j.evaluation_id = ANY(a.ids) AND j.status <> 'pending'),
  {playing}, {judging}, {analysing}, {reviewing},
  (SELECT count(*) FROM runs_conversation x WHERE {unreviewed}),
  (SELECT jsonb_build_array(a.name, extract(epoch FROM t.down_since), extract(epoch FROM t.probe_at), t.last_error,
    t.at_once, extract(epoch FROM t.limited_since)) FROM runs_agentthrottle t JOIN catalog_agent a ON a.id = t.agent_id
   WHERE t.agent_id = r.agent_id AND (t.down_since IS NOT NULL OR t.at_once IS NOT NULL OR t.limited_since IS NOT NULL))
FROM runs_testrun r CROSS JOIN LATERAL (SELECT ARRAY(SELECT e.id FROM e WHERE e.status = ANY(%(active)s)) AS ids) a
WHERE r.id = {run}
"""
# Evaluations whose analysis was asked for with them and has not ended, with what one of these waits for.
_ANALYSING = """
(SELECT jsonb_agg(jsonb_build_array(e.id, coalesce((SELECT a.waiting_for FROM improvement_analysis a
    WHERE a.evaluation_id = e.id AND a.automatic LIMIT 1), ''))) FROM e
  WHERE e.run_analyzer AND e.status = 'completed' AND NOT EXISTS (
    SELECT 1 FROM improvement_analysis a WHERE a.evaluation_id = e.id AND a.automatic AND a.status <> 'pending'))
"""
_PARTS = {"playing": _PLAYING, "judging": _JUDGING, "analysing": _ANALYSING}
_PARTS |= {"reviewing": _REVIEWING, "unreviewed": _UNREVIEWED}
_OF_RUN = _STATUS.format(which="run_id = %(id)s", run="%(id)s", **_PARTS)
_OF_EVALUATION = _STATUS.format(which="id = %(id)s", run="(SELECT run_id FROM e)", **_PARTS)


_ACTIVE = [state.value for state in EVALUATION_ACTIVE]
_PLAYED = frozenset({RunStatus.COMPLETED.value, RunStatus.FAILED.value})  # ends that leave something to be judged
Fetch = Callable[[str, Mapping[str, Any]], tuple[Any, ...] | None]  # a statement's first row


def fetch_one(statement: str, params: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Fetch one row by Django's own cursor."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def run_status(run_id: uuid.UUID, *, now: datetime, fetch: Fetch = fetch_one) -> dict[str, Any]:
    """The body of GET /test-runs/{id}/status/. One query, whatever the size. Raises NotFound."""
    row = _ask(_OF_RUN, run_id, now, fetch)
    if row is None:
        raise NotFound(f"There is no test run {run_id}.")
    return _document(row, str(row[0]), now)


def evaluation_status(evaluation_id: uuid.UUID, *, now: datetime, fetch: Fetch = fetch_one) -> dict[str, Any]:
    """Return the status of one evaluation; `progress` is its own share. Raises NotFound."""
    row = _ask(_OF_EVALUATION, evaluation_id, now, fetch)
    if row is None:
        raise NotFound(f"There is no evaluation {evaluation_id}.")
    return _document(row, str(json.loads(row[1])[0][1]), now)


def _ask(statement: str, id: uuid.UUID, now: datetime, fetch: Fetch) -> tuple[Any, ...] | None:
    return fetch(statement, {"id": id, "now": now, "active": _ACTIVE})


def _document(row: tuple[Any, ...], status: str, now: datetime) -> dict[str, Any]:
    run_state, every, by_state, judged, playing, judging, analysing, reviewing, unreviewed, throttled = row
    evaluations, unread = _json(every, []), _json(analysing, [])
    seen: Mapping[str, int] = _json(by_state, {})
    counts = {state.value: seen.get(state.value, 0) for state in ConversationStatus}
    active = sum(state in EVALUATION_ACTIVE for _, state in evaluations)
    conversations = sum(counts.values())
    played = sum(counts[state.value] for state in CONVERSATION_TERMINAL)
    open_ones = counts[ConversationStatus.PENDING.value] + counts[ConversationStatus.RUNNING.value]
    done = played - unreviewed + conversations * (len(evaluations) - active) + judged
    if status in _PLAYED and (active or unread):
        status = RunStatus.RUNNING.value
    return {
        "status": status,
        "conversations": counts,
        "evaluations": [{"id": id, "status": state} for id, state in evaluations],
        "progress": progress(done=done, total=conversations * (1 + len(evaluations)) + len(unread)),
        "waiting_for": waiting_for(
            paused=run_state == RunStatus.PAUSED,
            played=_work(_json(playing, []), open_ones),
            reviewed=_work(_json(reviewing, []), unreviewed),
            judged=_work(_json(judging, []), (played - unreviewed) * active - judged),  # of what was played and stays
            analysed=[reason for _, reason in unread],
            agent=_agent(_json(throttled, None)) if open_ones else "",
            now=now,
        ),
    }


def _agent(found: tuple[str, float | None, float | None, str, int | None, float | None] | None) -> str:
    """Say in a sentence that the agent is down, only limits us, or is spared; "" for none of these."""
    if found is None:
        return ""
    name, down_since, probe_at, error, at_once, limited_since = found
    if down_since is None and limited_since is not None:
        return (
            f"agent {name} has answered only 429 (too many requests) since "
            f"{datetime.fromtimestamp(limited_since, UTC):%H:%M} UTC: what waits for it fails after the tenant's "
            "agent_limit_minutes"
        )
    if down_since is None:
        places = many(at_once or 0, "conversation")
        return f"agent {name} is spared, {places} at once, because it limited us or became slow"
    tried = f"; it is tried again at {datetime.fromtimestamp(probe_at, UTC):%H:%M:%S} UTC" if probe_at else ""
    return f"agent {name} has not answered since {datetime.fromtimestamp(down_since, UTC):%H:%M} UTC ({error}){tried}"


def _work(kinds: list[tuple[str, int, int, float | None]], total: int) -> WorkProgress:
    busy, waits = 0, []
    for reason, leased, waiting, until in kinds:
        busy += leased
        if until is not None:
            when = datetime.fromtimestamp(until, UTC)
            waits.append(Wait(reason=reason or "waiting", count=waiting, until=when))
    return WorkProgress(busy=busy, queued=max(0, total - busy - sum(wait.count for wait in waits)), waits=waits)


def _json(text: str | None, otherwise: Any) -> Any:
    return otherwise if text is None else json.loads(text)
