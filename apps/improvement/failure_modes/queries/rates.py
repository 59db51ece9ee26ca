"""Measure in the database how often modes happen, by queues drawn by lot and by evaluations.

The evaluations have a mode's criterion. No trial of a draft is counted: its conversations may belong to a hold-out, and
a rate of them would tell how it went.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from apps.improvement.failure_modes.domain.rates import ModeRate, RateSource, SideCount
from apps.improvement.failure_modes.models import FailureMode
from apps.runs.domain.cases import CASE_SQL
from apps.runs.domain.kind_traits import TREND, UNSEALED, sql_list

MAX_EVALUATIONS = 50  # the newest that judged by a criterion

# Conversations of queues drawn by lot, once everybody who should has rated each of them (who may leave some out
# chooses, and the lot is none any more), and whether one of them noted the mode while rating: what somebody wrote
# beside it afterwards, with the score before their eyes, is a count and no measure.
_QUEUED = f"""
WITH rated AS (
  SELECT i.id, i.round_id, (SELECT count(DISTINCT l.rater) FROM calibration_humanlabel l WHERE l.item_id = i.id)
    >= r.raters_wanted AS complete
  FROM calibration_labellinground r JOIN calibration_labellingitem i ON i.round_id = r.id
  WHERE r.at_random AND r.asks_notes
), looked AS (
  SELECT r.id, r.name, r.created_at, r.source ->> 'address' AS address, r.raters_wanted AS raters, i.id AS item,
    i.conversation_id AS conversation, coalesce(c.started_at, c.created_at) AS at
  FROM calibration_labellinground r JOIN calibration_labellingitem i ON i.round_id = r.id
  JOIN runs_conversation c ON c.id = i.conversation_id JOIN runs_testrun t ON t.id = c.run_id
  WHERE t.kind IN {sql_list(UNSEALED)}
    AND r.id IN (SELECT round_id FROM rated GROUP BY round_id HAVING bool_and(complete))
), noted AS (
  SELECT DISTINCT m.mode_id, n.item_id FROM improvement_modenote m
  JOIN calibration_conversationnote n ON n.id = m.note_id AND n.item_id IS NOT NULL
  WHERE m.shows = 'failure' AND m.mode_id = ANY(%(modes)s)
)
"""  # noqa: S608 - words of our own, as below
_QUEUE_RATES = f"""{_QUEUED}
SELECT f.id, q.id, q.name, q.address, q.raters, max(q.at), count(*), count(n.item_id)
FROM improvement_failuremode f CROSS JOIN looked q LEFT JOIN noted n ON n.mode_id = f.id AND n.item_id = q.item
WHERE f.id = ANY(%(modes)s) GROUP BY 1, 2, 3, 4, 5, q.created_at ORDER BY q.created_at DESC
"""  # noqa: S608
_QUEUE_SIDES = f"""{_QUEUED}
SELECT q.address, q.raters, max(q.name), q.at >= %(fixed)s AS after, count(DISTINCT q.conversation),
  count(DISTINCT q.conversation) FILTER (WHERE n.item_id IS NOT NULL)
FROM looked q LEFT JOIN noted n ON n.item_id = q.item GROUP BY 1, 2, 4
"""  # noqa: S608

# As in trends of tests: no fallback's scores, no conversation whose golden session was wrong; and no evaluation that
# was made to calibrate the judge.
_SCORED = f"""
WITH chosen AS (
  SELECT e.id, e.config_ref, e.created_at, r.kind, coalesce(nullif(e.subject ->> 'agent', ''), a.name, '') AS agent
  FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  WHERE e.status = 'completed' AND r.kind IN {sql_list(TREND)}
    AND NOT EXISTS (SELECT 1 FROM calibration_calibration k WHERE k.evaluation_id = e.id)
    AND EXISTS (SELECT 1 FROM jsonb_array_elements(e.snapshot -> 'criteria') k WHERE k ->> 'name' = ANY(%(criteria)s))
  ORDER BY e.created_at DESC LIMIT %(most)s
), scored AS (
  SELECT DISTINCT ON (s.criterion, j.fingerprint, j.conversation_id) s.criterion, j.fingerprint, j.conversation_id,
    e.id AS evaluation,
    e.config_ref, e.created_at, e.kind, e.agent, coalesce(c.started_at, c.created_at) AS at,
    {CASE_SQL} AS played,
    s.score < s.pass_mark AS failed
  FROM chosen e JOIN evaluations_judgement j ON j.evaluation_id = e.id AND j.status = 'scored' AND NOT j.by_fallback
  JOIN evaluations_criterionscore s ON s.judgement_id = j.id AND s.criterion = ANY(%(criteria)s)
    AND s.status = 'scored'
  JOIN runs_conversation c ON c.id = j.conversation_id AND c.blame IS DISTINCT FROM 'golden'
  ORDER BY s.criterion, j.fingerprint, j.conversation_id, e.created_at
)
"""  # noqa: S608
_CRITERION_RATES = f"""{_SCORED}
SELECT criterion, evaluation, config_ref, max(at), fingerprint, kind, agent, count(*), count(*) FILTER (WHERE failed)
FROM scored GROUP BY 1, 2, 3, 5, 6, 7, created_at ORDER BY created_at DESC
"""  # noqa: S608
# Of each case as many on either side: who repeats an easy one a hundred times after the fix moves nothing. Which ones
# is told by the digest of their ids, so by nobody.
_CRITERION_SIDES = f"""{_SCORED}, sides AS (
  SELECT *, at >= %(fixed)s AS after, row_number() OVER (
      PARTITION BY fingerprint, kind, agent, played, at >= %(fixed)s ORDER BY md5(conversation_id::text)) AS place,
    count(*) FILTER (WHERE at >= %(fixed)s) OVER (PARTITION BY fingerprint, kind, agent, played) AS since,
    count(*) FILTER (WHERE at < %(fixed)s) OVER (PARTITION BY fingerprint, kind, agent, played) AS before
  FROM scored
)
SELECT fingerprint, kind, agent, played, after, count(*), count(*) FILTER (WHERE failed) FROM sides
WHERE least(since, before) = 0 OR place <= least(since, before) GROUP BY 1, 2, 3, 4, 5
"""  # noqa: S608


def rates_of(modes: Sequence[FailureMode]) -> dict[uuid.UUID, list[ModeRate]]:
    """Return the rates by mode, the newest first; [] where only counts are known.

    One query, two where a mode has a criterion.
    """
    by_mode: dict[uuid.UUID, list[ModeRate]] = {mode.pk: [] for mode in modes}
    if not modes:
        return by_mode
    for mode, id, name, address, raters, at, looked_at, failed in _rows(_QUEUE_RATES, modes=[one.pk for one in modes]):
        by_mode[mode].append(
            ModeRate(
                source=RateSource.QUEUE,
                measure=_of_queue(address, raters),
                name=name,
                id=str(id),
                at=at,
                looked_at=looked_at,
                failed=failed,
                filter=address or "",
            )
        )
    measured: dict[str, list[uuid.UUID]] = {}
    for mode in modes:
        if mode.criterion:
            measured.setdefault(mode.criterion, []).append(mode.pk)
    for row in _rows(_CRITERION_RATES, criteria=list(measured), most=MAX_EVALUATIONS) if measured else ():
        criterion, evaluation, config, at, fingerprint, kind, agent, looked_at, failed = row
        rate = ModeRate(
            source=RateSource.CRITERION,
            measure=_of_judge(fingerprint, kind, agent),
            name=config,
            id=str(evaluation),
            at=at,
            looked_at=looked_at,
            failed=failed,
        )
        for pk in measured[criterion]:
            by_mode[pk].append(rate)
    return {pk: sorted(rates, key=lambda one: one.at, reverse=True) for pk, rates in by_mode.items()}


def sides_of(mode: FailureMode) -> list[SideCount]:
    """The counts of each measure before the mode's fix and since; [] where no fix was recorded. At most two queries."""
    if mode.fixed_at is None:
        return []
    fixed: datetime = mode.fixed_at
    counts = [
        SideCount(
            source=RateSource.QUEUE,
            measure=_of_queue(address, raters),
            name=f"queues such as “{name}”",
            case="",
            after=after,
            looked_at=looked_at,
            failed=failed,
        )
        for address, raters, name, after, looked_at, failed in _rows(_QUEUE_SIDES, modes=[mode.pk], fixed=fixed)
    ]
    named = {"criteria": [mode.criterion], "most": MAX_EVALUATIONS, "fixed": fixed}
    for fingerprint, kind, agent, played, after, looked_at, failed in (
        _rows(_CRITERION_SIDES, **named) if (mode.criterion) else ()
    ):
        counts.append(
            SideCount(
                source=RateSource.CRITERION,
                measure=_of_judge(fingerprint, kind, agent),
                case=played,
                after=after,
                name=f"{mode.criterion} by one judge, {kind} runs{f' of {agent}' if agent else ''}",
                looked_at=looked_at,
                failed=failed,
            )
        )
    return counts


def _of_queue(address: str | None, raters: int) -> str:
    return f"{address or ''} {raters}"


def _of_judge(fingerprint: str, kind: str, agent: str) -> str:
    return f"{fingerprint} {kind} {agent}"


def _rows(sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
