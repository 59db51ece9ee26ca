"""What became of every agent: its newest evaluation of each kind of run (a replay of three golden sessions says nothing
of twelve battles) beside the one before it that was judged with the same config."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core.subject import words_of
from apps.dashboard.domain.changes import AgentChange, MeasuredAgent, Movement, SummedMean, agent_change
from apps.runs.domain.cases import SCENARIO_SQL
from apps.runs.domain.kind_traits import TREND, sql_list

LOOKED_AT = 400  # newest evaluations; an agent that none of them judged has not been tested lately
AGENTS = 40  # kinds of run counted by themselves
UNNAMED = 3  # newest runs of which nobody said which agent it was: each stands for itself

_PAIRS = f"""
WITH judged AS (
  SELECT e.id, e.created_at, e.config_version_id, e.run_id, r.kind,
    coalesce(nullif(e.subject->>'agent', ''), a.name) AS agent
  FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  WHERE e.status = 'completed' AND r.kind IN {sql_list(TREND)} AND e.id IN (
    SELECT id FROM evaluations_evaluation WHERE status = 'completed' ORDER BY id DESC LIMIT %(looked_at)s)
), newest AS (
  SELECT DISTINCT ON (agent, kind) * FROM judged WHERE agent IS NOT NULL ORDER BY agent, kind, created_at DESC
), unnamed AS (
  SELECT * FROM (SELECT DISTINCT ON (run_id) * FROM judged WHERE agent IS NULL ORDER BY run_id, created_at DESC) r
  ORDER BY created_at DESC LIMIT %(unnamed)s
)
SELECT n.id, o.id, n.agent IS NOT NULL FROM (SELECT * FROM newest UNION ALL SELECT * FROM unnamed) n LEFT JOIN LATERAL (
  SELECT id FROM judged o WHERE o.agent = n.agent AND o.kind = n.kind AND o.run_id <> n.run_id
    AND o.created_at < n.created_at
  ORDER BY o.config_version_id = n.config_version_id DESC, o.created_at DESC LIMIT 1) o ON true
ORDER BY n.created_at DESC LIMIT %(agents)s
"""  # noqa: S608 - words of our own

# Sums that were stored when a large evaluation ended are read from there; others are summed now. What a fallback model
# judged is another instrument's and on no line, whether or not it counts in the headline mean: where there is any, the
# stored sums do not serve.
_MEANS_BY = """
WITH asked AS (
  SELECT e.id, CASE WHEN (e.sums->'tally'->>'by_fallback')::bigint = 0 THEN e.sums END AS sums
  FROM evaluations_evaluation e WHERE e.id = ANY(%(ids)s)
), judged AS (
  SELECT a.id AS evaluation, j.id, {scenario} AS scenario, j.weighted_score
  FROM asked a JOIN evaluations_judgement j ON j.evaluation_id = a.id
  JOIN runs_conversation c ON c.id = j.conversation_id
  WHERE a.sums->'cases' IS NULL AND j.status = 'scored' AND NOT j.by_fallback
), grouped AS (
  SELECT evaluation, '' AS criterion, scenario, count(*) AS n, sum(weighted_score) AS total FROM judged
  WHERE weighted_score IS NOT NULL GROUP BY evaluation, scenario
  UNION ALL
  SELECT evaluation, s.criterion, scenario, count(*), sum(s.score) FROM judged
  JOIN evaluations_criterionscore s ON s.judgement_id = judged.id
  WHERE s.status = 'scored' AND s.score IS NOT NULL AND s.scale = '0-10' GROUP BY 1, 2, 3
), whole AS (
  SELECT evaluation, criterion, sum(total) / sum(n) AS mean, sum(n) AS n FROM grouped GROUP BY 1, 2
)
SELECT g.evaluation, g.criterion, min(w.mean), count(*), CASE WHEN count(*) > 1 THEN
  count(*) * sqrt(sum((g.total - g.n * w.mean) ^ 2) / (count(*) - 1)) / min(w.n) END
FROM grouped g JOIN whole w ON w.evaluation = g.evaluation AND w.criterion = g.criterion GROUP BY 1, 2
UNION ALL
SELECT a.id, k.key, CASE WHEN k.key = '' THEN (a.sums->'headline'->>1)::float8 ELSE (
    SELECT (c->>4)::float8 FROM jsonb_array_elements(a.sums->'criteria') c WHERE c->>0 = k.key) END,
  (k.value->>0)::bigint, (k.value->>1)::float8
FROM asked a CROSS JOIN LATERAL jsonb_each(a.sums->'cases') k WHERE a.sums->'cases' IS NOT NULL
"""
_MEANS = _MEANS_BY.format(scenario=SCENARIO_SQL)

_LINES_BY = """
WITH means(evaluation, criterion, mean, cases, deviation) AS ({means})
SELECT e.id, coalesce(nullif(e.subject->>'agent', ''), a.name), r.name, e.subject::text, e.created_at, e.config_ref,
  f.print, f.judges, r.kind, (
    SELECT json_agg(json_build_array(m.criterion, m.mean, m.cases, m.deviation))::text FROM means m
    WHERE m.evaluation = e.id AND m.mean IS NOT NULL), (
    SELECT json_object_agg(k->>'name', k->'pass_mark')::text FROM jsonb_array_elements(e.snapshot->'criteria') k
    WHERE jsonb_typeof(k->'pass_mark') = 'number')
FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
CROSS JOIN LATERAL (
  SELECT mode() WITHIN GROUP (ORDER BY j.fingerprint) AS print, count(DISTINCT j.fingerprint) AS judges
  FROM evaluations_judgement j WHERE e.sums->'cases' IS NULL AND j.evaluation_id = e.id AND j.status = 'scored'
    AND NOT j.by_fallback
  HAVING e.sums->'cases' IS NULL
  UNION ALL
  SELECT e.sums->'headline'->>4, coalesce((e.sums->'tally'->>'judges')::bigint, 1) WHERE e.sums->'cases' IS NOT NULL
) f
WHERE e.id = ANY(%(ids)s)
"""
_LINES = _LINES_BY.format(means=_MEANS)

_ORDER = list(Movement)


@dataclass(frozen=True, slots=True)
class EvaluationPair:
    """An agent's newest evaluation of one kind of run and the one before it; `named` is whether it has an agent."""

    new: UUID
    old: UUID | None
    named: bool

    @property
    def ids(self) -> list[UUID]:
        return [self.new, *([self.old] if self.old else [])]


def agent_pairs() -> list[EvaluationPair]:
    """Of every agent that was judged lately, once for each kind of run; the newest runs without an agent beside them.
    One query."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, {"looked_at": LOOKED_AT, "agents": AGENTS, "unnamed": UNNAMED})
        return [EvaluationPair(*row) for row in cursor.fetchall()]


def changes_of(pairs: Sequence[EvaluationPair], lines: Mapping[UUID, MeasuredAgent]) -> list[AgentChange]:
    """What became of each, those that got worse first. No query."""
    found = [agent_change(lines[one.new], lines[one.old] if one.old else None) for one in pairs]
    return sorted(found, key=lambda one: _ORDER.index(one.movement))


def agent_changes() -> list[AgentChange]:
    """Both. Two queries."""
    pairs = agent_pairs()
    return changes_of(pairs, measured_evaluations([pk for one in pairs for pk in one.ids]))


def measured_evaluations(ids: Collection[UUID]) -> dict[UUID, MeasuredAgent]:
    """What each of these evaluations measured, over scenarios; a run without an agent stands under its own name. One
    query."""
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_LINES, {"ids": list(ids)})
        return {row[0]: _measured(row[:-2], _summed(row[-2]), json.loads(row[-1] or "{}")) for row in cursor.fetchall()}


def _summed(rows: str | None) -> dict[str, SummedMean]:
    found = json.loads(rows) if rows else []
    return {criterion: SummedMean(mean, cases, deviation) for criterion, mean, cases, deviation in found}


def _measured(row: Sequence[Any], means: dict[str, SummedMean], marks: dict[str, float]) -> MeasuredAgent:
    pk, agent, run, subject, at, config, judge, judges, kind = row
    fields = json.loads(subject) or {}
    label = words_of({name: value for name, value in fields.items() if name != "agent"}) if fields else ""
    return MeasuredAgent(
        id=pk, agent=agent or f"“{run or 'A run'}”", name=label or run or config, at=at, config=config,
        judge=judge or "", judges=judges or 1, means=means, marks=marks, kind=kind, named=bool(agent),
    )  # fmt: skip
