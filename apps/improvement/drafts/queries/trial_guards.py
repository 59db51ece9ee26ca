"""The costs of a draft beside its scores: price, pace, length and failures of each prompt in one trial."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.improvement.drafts.domain.trial_states import SideName

# Of a conversation the last attempt counts; nudges are ours, and no reply of the agent.
_GUARDS = """
WITH played AS (
  SELECT s.side, c.id, c.attempt, c.status, c.blame FROM improvement_trialside s
  JOIN runs_conversation c ON c.run_id = s.test_run_id WHERE s.trial_id = %(trial)s
), said AS (
  SELECT p.side, count(*) AS replies, avg(t.latency_ms) AS latency_ms, avg(length(t.content)) AS chars
  FROM played p JOIN runs_turn t ON t.conversation_id = p.id AND t.attempt = p.attempt
  WHERE t.role = 'assistant' GROUP BY 1
), paid AS (
  SELECT p.side, sum(m.cost_usd) AS usd,
    count(*) FILTER (WHERE m.cost_usd IS NULL AND m.outcome = 'ok') AS unpriced
  FROM played p JOIN budgets_modelcall m ON m.conversation_id = p.id AND m.purpose = 'agent' AND NOT m.cached GROUP BY 1
)
SELECT p.side, count(*), count(*) FILTER (WHERE p.status <> 'ended'),
  max(said.replies), max(said.latency_ms), max(said.chars), max(paid.usd), max(paid.unpriced)
FROM played p LEFT JOIN said ON said.side = p.side LEFT JOIN paid ON paid.side = p.side GROUP BY 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideGuards:
    """One prompt's figures: means over its conversations and replies; None where nothing was measured."""

    conversations: int
    failed: int
    replies: float | None
    latency_ms: float | None
    chars: float | None
    usd: float | None


def trial_guards(trial_id: uuid.UUID) -> Mapping[SideName, SideGuards]:
    """Return the guards' figures by side, without sides that were not started. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_GUARDS, {"trial": trial_id})
        rows = cursor.fetchall()
    return {SideName(row[0]): _of_side(row) for row in rows}


def _of_side(row: tuple[Any, ...]) -> SideGuards:
    _, conversations, failed, replies, latency, chars, usd, unpriced = row
    return SideGuards(
        conversations=conversations,
        failed=failed,
        replies=None if replies is None else replies / conversations,
        latency_ms=None if latency is None else float(latency),
        chars=None if chars is None else float(chars),
        usd=None if usd is None or unpriced else float(usd) / conversations,
    )
