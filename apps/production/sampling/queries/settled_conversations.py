"""Find the real conversations that a rule may sample, and those judged apart from every mean."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from apps.production.intake.domain.request_kinds import MAX_CHARS, MESSAGES, request_kind
from apps.production.sampling.domain.rates import DrawnConversation
from apps.production.sampling.domain.states import SamplingBasis
from apps.production.sampling.models import SamplingRule
from apps.runs.domain.kind_traits import WITH_AN_END

# What a rule looks at. A canary's conversations are another agent's: they are judged with their rollout. What our own
# tests said reaches us too where the agent's server posts all it says: under the id that we gave it, or its own.
_LOOKED_AT = """
FROM production_productionconversation p JOIN runs_conversation c ON c.id = p.conversation_id
JOIN runs_testrun r ON r.id = c.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
WHERE c.status = 'ended' AND p.deleted_at IS NULL AND p.alias <> 'canary'
  AND NOT EXISTS (SELECT 1 FROM production_rolloutconversation x
    WHERE x.conversation_id = p.conversation_id AND x.arm = 'canary')
  AND NOT EXISTS (SELECT 1 FROM runs_conversation o WHERE o.kind = ANY(%(ours)s)
    AND o.id = substring(lower(p.external_id) FROM '^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}')::uuid)
  AND p.external_id NOT IN (SELECT o.session->>'context_id' FROM runs_conversation o
    WHERE o.kind = ANY(%(ours)s) AND o.started_at >= %(starts)s - interval '2 days' AND o.session->>'context_id' <> '')
  AND (%(agent)s::uuid IS NULL OR r.agent_id = %(agent)s::uuid)
  AND (%(channel)s = '' OR lower(p.channel) = lower(%(channel)s))
  AND (%(language)s = '' OR split_part(lower(c.language), '-', 1) = lower(%(language)s))
  AND (%(prompt)s = '' OR p.prompt_version = %(prompt)s)
"""
_SETTLED = f"""
SELECT c.id, c.run_id, split_part(lower(c.language), '-', 1), p.channel, coalesce(a.name, ''), p.prompt_version,
  ARRAY(SELECT left(t.content, {MAX_CHARS}) FROM runs_turn t WHERE t.conversation_id = c.id AND t.role = 'user'
    AND t.content <> '' ORDER BY t.position LIMIT {MESSAGES})
{_LOOKED_AT} AND p.settled_at >= %(starts)s AND p.settled_at < %(ends)s ORDER BY c.id
"""  # noqa: S608 - SQL of our own
# Rated within the window: down; or up and down, which is a surprise; or handed over to a person.
_APART = f"""
WITH rated AS (
  SELECT f.conversation_id, bool_or(f.rating = 'down') AS down, bool_or(f.rating = 'up') AS up
  FROM production_feedback f WHERE f.conversation_id IN (SELECT n.conversation_id FROM production_feedback n
    WHERE n.created_at >= %(starts)s AND n.created_at < %(ends)s)
  GROUP BY 1
)
SELECT c.id, c.run_id, CASE WHEN t.down AND NOT t.up THEN 'thumbs_down' ELSE 'surprising' END
{_LOOKED_AT.replace("WHERE", "LEFT JOIN rated t ON t.conversation_id = c.id WHERE", 1)} AND p.settled_at < %(ends)s
  AND (t.down OR (p.transferred AND p.settled_at >= %(starts)s))
  AND NOT EXISTS (SELECT 1 FROM production_sampledconversation s
    WHERE s.rule_id = %(rule)s AND s.conversation_id = c.id)
ORDER BY t.down DESC NULLS LAST, c.id LIMIT %(limit)s
"""  # noqa: S608 - SQL of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledRow:
    """A conversation that settled, and the groups it belongs to; `request` is what kind of request it is."""

    id: UUID
    run_id: UUID
    language: str
    channel: str
    agent: str
    prompt_version: str
    request: str


def settled_between(rule: SamplingRule, *, starts: datetime, ends: datetime) -> list[SettledRow]:
    """Return the conversations that settled in this window and pass the rule's filter.

    One that was held earlier and came late settles late, and belongs to the window in which it did. One query; some 200
    bytes each.
    """
    rows = _rows(_SETTLED, rule, starts=starts, ends=ends)
    return [
        SettledRow(
            id=id,
            run_id=run,
            language=language,
            channel=channel,
            agent=agent,
            prompt_version=prompt,
            request=request_kind(said),
        )
        for id, run, language, channel, agent, prompt, said in rows
    ]


def apart_conversations(
    rule: SamplingRule, *, starts: datetime, ends: datetime, limit: int
) -> list[tuple[UUID, DrawnConversation]]:
    """Return the conversations of this window that are judged apart, with the run of each.

    They got a thumbs-down, surprised, or were handed over, and the rule has not had them judged. `limit` at most,
    thumbs-down first. One query.
    """
    rows = _rows(_APART, rule, starts=starts, ends=ends, rule=rule.pk, limit=limit)
    return [(run, DrawnConversation(id=id, stratum="", basis=SamplingBasis(basis))) for id, run, basis in rows]


def is_looked_at(rule: SamplingRule, *, conversation_id: UUID, since: datetime) -> bool:
    """Tell whether the rule's filter holds this conversation, which settled at `since`. One query."""
    statement = f"SELECT c.id {_LOOKED_AT} AND c.id = %(id)s"
    return bool(_rows(statement, rule, starts=since, id=conversation_id))


def _rows(statement: str, looked_at: SamplingRule, **parameters: Any) -> list[tuple[Any, ...]]:
    filters = {
        "agent": looked_at.agent_id,
        "channel": looked_at.channel,
        "language": looked_at.language,
        "prompt": looked_at.prompt_version,
        "ours": [kind.value for kind in WITH_AN_END],
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, {**filters, **parameters})
        return list(cursor.fetchall())
