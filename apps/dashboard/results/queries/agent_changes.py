"""The newest change of every agent.

It is the newest evaluation of each kind of run beside the one before it that was judged with the same config. A replay
of three golden sessions says nothing of twelve battles.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core.subject import words_of
from apps.dashboard.results.domain.changes import AgentChange, MeasuredAgent, Movement, SummedMean, agent_change
from apps.evaluations.figures.queries.own_means import OwnMeans, own_means_of_each
from apps.evaluations.figures.queries.stored_figures import STORED_SQL
from apps.runs.domain.kind_traits import TREND, sql_list

LOOKED_AT = 400  # newest evaluations; an agent that none of them judged has not been tested lately
AGENTS = 40  # kinds of run counted by themselves
UNNAMED = 3  # newest runs of which nobody said which agent it was: each stands for itself

_PAIRS = f"""
WITH judged AS (
  SELECT e.id, e.created_at, e.config_version_id, e.run_id, r.kind,
    coalesce(nullif(e.subject->>'agent', ''), a.name) AS agent
  FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  WHERE e.status = 'completed' AND r.kind IN {sql_list(TREND)} AND r.plan->>'from' IS NULL AND NOT EXISTS (
    SELECT 1 FROM improvement_promptdraft d JOIN catalog_promptversion v ON v.id = d.version_id
    WHERE v.version = r.plan->>'prompt_version' AND d.status <> 'released') AND e.id IN (
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

# What was stored when an evaluation ended is read from there; what is not stored is read from its scores.
_LINES = f"""
SELECT e.id, coalesce(nullif(e.subject->>'agent', ''), a.name), r.name, e.subject::text, e.created_at, e.config_ref,
  r.kind, (
    SELECT json_object_agg(k->>'name', k->'pass_mark')::text FROM jsonb_array_elements(e.snapshot->'criteria') k
    WHERE jsonb_typeof(k->'pass_mark') = 'number'), ({STORED_SQL})->>'own'
FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
WHERE e.id = ANY(%(ids)s)
"""  # noqa: S608 - words of our own

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
    """Return pairs of evaluations of every agent that was judged lately, once for each kind of run.

    The newest runs without an agent are beside them. A rerun of part of a run, and the plays of a draft, say nothing of
    the agent's status. One query.
    """
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, {"looked_at": LOOKED_AT, "agents": AGENTS, "unnamed": UNNAMED})
        return [EvaluationPair(*row) for row in cursor.fetchall()]


def changes_of(pairs: Sequence[EvaluationPair], lines: Mapping[UUID, MeasuredAgent]) -> list[AgentChange]:
    """The change between the evaluations of each pair, those that got worse first. No query."""
    changes = [agent_change(lines[pair.new], lines[pair.old] if pair.old else None) for pair in pairs]
    return sorted(changes, key=lambda change: _ORDER.index(change.movement))


def agent_changes() -> list[AgentChange]:
    """Both. Two queries, four where not all are stored."""
    pairs = agent_pairs()
    return changes_of(pairs, measured_evaluations([pk for pair in pairs for pk in pair.ids]))


def measured_evaluations(ids: Collection[UUID]) -> dict[UUID, MeasuredAgent]:
    """The results of each of these evaluations, over scenarios; a run without an agent stands under its own name. One
    query; two more where not all are stored."""
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_LINES, {"ids": list(ids)})
        rows = {row[0]: row for row in cursor.fetchall()}
    stored = {pk: OwnMeans(**json.loads(row[-1])) for pk, row in rows.items() if row[-1]}
    own = stored | own_means_of_each([pk for pk in rows if pk not in stored])
    return {pk: _measured(row[:-1], own[pk]) for pk, row in rows.items()}


def _measured(row: Sequence[Any], own: OwnMeans) -> MeasuredAgent:
    pk, agent, run, subject, at, config, kind, marks = row
    fields = json.loads(subject) or {}
    label = words_of({name: value for name, value in fields.items() if name != "agent"}) if fields else ""
    return MeasuredAgent(
        id=pk,
        agent=agent or f"“{run or 'A run'}”",
        name=label or run or config,
        at=at,
        config=config,
        judge=own.fingerprint,
        judges=own.judges or 1,
        kind=kind,
        named=bool(agent),
        marks=json.loads(marks or "{}"),
        means={name: SummedMean(*figures) for name, figures in own.means.items() if figures[0] is not None},
    )
