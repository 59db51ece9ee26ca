"""Conversations whose words were kept long enough, by the tenant's rule for their kind."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from apps.erasure.domain.keeping import days_of_kinds, kept_since
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.runs.domain.states import Kind
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

MONTHLY_ROUND = timedelta(days=62)  # from its first day; then nobody rates it any more

# What is being judged, rated or tried waits until that has ended.
_DUE = """
FROM runs_conversation c JOIN runs_testrun r ON r.id = c.run_id
JOIN unnest(%(kinds)s::text[], %(before)s::timestamptz[]) AS rule(kind, before) ON rule.kind = c.kind
WHERE r.ended_at < rule.before
  AND NOT EXISTS (SELECT 1 FROM erasure_worddeletion d WHERE d.conversation_id = c.id)
  AND NOT EXISTS (SELECT 1 FROM evaluations_evaluation e WHERE e.run_id = r.id AND e.status = ANY(%(active)s))
  AND NOT EXISTS (
    SELECT 1 FROM calibration_labellingitem i JOIN calibration_labellinground n ON n.id = i.round_id
    WHERE i.conversation_id = c.id AND n.closed_at IS NULL AND (n.month IS NULL OR n.month > %(rated_since)s)
  )
  AND NOT EXISTS (
    SELECT 1 FROM improvement_trialside s JOIN improvement_trial t ON t.id = s.trial_id
    WHERE s.test_run_id = r.id AND t.ended_at IS NULL
  )
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKind:
    """One kind: its rule, how many conversations still have their words, and how many of them are due."""

    kind: Kind
    days: int | None
    held: int
    due: int


def due_conversations(*, now: datetime, limit: int, besides: Collection[UUID] = ()) -> list[tuple[UUID, Kind]]:
    """Return ids and kinds of the conversations that are due, the oldest first, `besides` these. One query."""
    rules = kept_since(workflow_config(current_slug()), now=now)
    if not rules:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT c.id, c.kind {_DUE} AND c.id <> ALL(%(besides)s) ORDER BY r.ended_at, c.id LIMIT %(limit)s",
            {**_parameters(rules, now), "limit": limit, "besides": list(besides)},
        )
        return [(row[0], Kind(row[1])) for row in cursor.fetchall()]


def kept_kinds(*, now: datetime) -> list[KeptKind]:
    """Return every kind with a retention rule, with its counts. Two queries, over all its conversations."""
    settings = workflow_config(current_slug())
    days, rules = days_of_kinds(settings), kept_since(settings, now=now)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.kind, count(*) FROM runs_conversation c WHERE c.kind = ANY(%s) AND NOT EXISTS"
            " (SELECT 1 FROM erasure_worddeletion d WHERE d.conversation_id = c.id) GROUP BY 1",
            [[kind.value for kind in days]],
        )
        held = dict(cursor.fetchall())
        due: dict[str, int] = {}
        if rules:
            cursor.execute(f"SELECT c.kind, count(*) {_DUE} GROUP BY 1", _parameters(rules, now))
            due = dict(cursor.fetchall())
    return [KeptKind(kind=kind, days=days[kind], held=held.get(kind, 0), due=due.get(kind, 0)) for kind in days]


def _parameters(rules: Mapping[Kind, datetime], now: datetime) -> dict[str, Any]:
    return {
        "kinds": [kind.value for kind in rules],
        "before": list(rules.values()),
        "rated_since": (now - MONTHLY_ROUND).date(),
        "active": [state.value for state in EVALUATION_ACTIVE],
    }
