"""Claiming conversations: what is in flight is counted from leases, under one lock a tenant, and the runs take turns.

Workers of one tenant claim one after the other (a few milliseconds each), so that no two of them fill the last place.
A worker that dies holds its places until its leases end: nothing else has to be put right (docs/adr/0119).
"""

import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from apps.jobs.worker_loop import slot_key
from apps.runs.agents.models import AgentThrottle
from apps.runs.domain.agent_throttle import Throttle, places
from apps.runs.domain.states import RUN_ACTIVE
from apps.runs.playing.domain.fair_share import ConcurrencyLimits, Contender, FairChoice, InFlight, choose
from apps.tenants.context import current_schema

CLAIM_AT_ONCE = 16  # a worker takes no more in one go, so that those who come beside it have their share
_ACTIVE = [state.value for state in RUN_ACTIVE]
_PROVIDER = "coalesce(r.plan #>> '{simulator,provider}', '')"

_DUE = """(w.not_before IS NULL OR w.not_before <= %(now)s)
  AND (w.status = 'pending' AND (w.lease_expires_at IS NULL OR w.lease_expires_at < %(now)s)
    OR w.status = 'running' AND w.lease_expires_at < %(now)s)"""
# Begun in a session of its own: what never was begun, or lost its worker where nobody knows what the agent was told.
_ANEW = "w.status = 'running' AND (w.turn_in_flight IS NOT NULL OR w.kind = 'replay')"
_STARTS = f"(w.session = '{{}}' OR w.extra ? 'interrupted' OR {_ANEW})"
_PLAYING = f"""
SELECT x.run_id, r.agent_id, {_PROVIDER}, x.n FROM (
  SELECT w.run_id, count(*) AS n FROM runs_conversation w
  WHERE w.status = 'running' AND w.lease_expires_at >= %(now)s GROUP BY w.run_id
) x JOIN runs_testrun r ON r.id = x.run_id
"""  # noqa: S608 - words of our own, as below
_CANDIDATES = f"""
SELECT w.id, r.id, r.agent_id, {_PROVIDER}, w.starts, r.plan -> 'stagger_s' ->> 0, r.plan -> 'stagger_s' ->> 1
FROM runs_testrun r CROSS JOIN LATERAL (
  SELECT w.id, w.position, {_STARTS} AS starts FROM runs_conversation w
  WHERE w.run_id = r.id AND w.status IN ('pending', 'running') AND {_DUE} ORDER BY w.position LIMIT %(limit)s
) w
WHERE r.status = ANY(%(active)s) ORDER BY r.created_at, r.id, w.position
"""  # noqa: S608
_LIMITS = """
SELECT a.id, a.max_concurrent, t.next_start_at, t.at_once, t.resumes_at, t.down_since, t.probe_at FROM catalog_agent a
LEFT JOIN runs_agentthrottle t ON t.agent_id = a.id WHERE a.id = ANY(%(agents)s)
"""
_PROVIDERS = "SELECT name, max_concurrent FROM catalog_modelprovider WHERE max_concurrent IS NOT NULL"
_LEASE = f"""
UPDATE runs_conversation w SET lease_token = %(token)s, lease_expires_at = %(expires)s, waiting_for = '',
  not_before = NULL, blame = NULL, end_reason = '', error_code = '', error_message = '',
  attempt = w.attempt + CASE WHEN {_ANEW} OR w.attempt = 0 THEN 1 ELSE 0 END,
  losses = w.losses + CASE WHEN w.status = 'running' THEN 1 ELSE 0 END,
  extra = CASE WHEN {_ANEW} THEN w.extra || '{{"interrupted": true}}' ELSE w.extra END,
  status = 'running', started_at = coalesce(w.started_at, %(now)s), turn_in_flight = NULL
WHERE w.id = ANY(%(ids)s) AND w.status IN ('pending', 'running') AND {_DUE}
RETURNING w.id
"""  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """Conversations that are leased now. `more`: others could be begun as well, by another worker; `left`: others are
    due, and begin when there is a place."""

    ids: tuple[uuid.UUID, ...] = ()
    more: bool = False
    left: bool = False


def claim(
    *,
    token: uuid.UUID,
    limit: int,
    tenant_limit: int,
    now: datetime,
    lease: timedelta,
    chance: Callable[[float, float], float] = random.uniform,
) -> Claimed:
    """Lease up to `limit` due conversations of active runs.

    The conversations in flight over all workers stay within the limits of tenant, agents and model providers. Two
    queries where nothing is due, else six; one more for each agent with a stagger of whom a conversation begins. Safe
    to race.
    """
    at_most = min(limit, CLAIM_AT_ONCE)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [slot_key(current_schema(), "claims")])
        cursor.execute(_CANDIDATES, {"now": now, "active": _ACTIVE, "limit": at_most + 1})
        candidates = [_candidate(row) for row in cursor.fetchall()]
        if not candidates:
            return Claimed()
        cursor.execute(_PLAYING, {"now": now})
        playing = [InFlight(run=row[0], agent=row[1], provider=row[2], count=row[3]) for row in cursor.fetchall()]
        limits = _limits(cursor, candidates, tenant_limit, now)
        choice = choose(candidates, playing=playing, limits=limits, at_most=at_most, now=now, chance=chance)
        left = len(choice.ids) < len(candidates)
        if not choice.ids:
            return Claimed(left=left)
        _store_starts(choice)
        expires = now + lease
        cursor.execute(_LEASE, {"ids": list(choice.ids), "token": token, "now": now, "expires": expires})
        return Claimed(ids=tuple(row[0] for row in cursor.fetchall()), more=choice.more, left=left)


def next_start(*, now: datetime, within: timedelta) -> datetime | None:
    """Return when an agent with waiting conversations may be sent something again, if that is soon.

    Its stagger, its own pause, or the next try where it is down decide. One query.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(x.at) FROM (SELECT t.agent_id, greatest(t.next_start_at, t.resumes_at, "
            "CASE WHEN t.down_since IS NOT NULL THEN t.probe_at END) AS at FROM runs_agentthrottle t) x "
            "WHERE x.at > %(now)s AND x.at <= %(until)s AND EXISTS (SELECT 1 FROM runs_testrun r "
            "JOIN runs_conversation w ON w.run_id = r.id "
            "WHERE r.agent_id = x.agent_id AND r.status = ANY(%(active)s) AND w.status = 'pending')",
            {"now": now, "until": now + within, "active": _ACTIVE},
        )
        moment: datetime | None = cursor.fetchone()[0]
    return moment


def _candidate(row: tuple[Any, ...]) -> Contender:
    stagger = (float(row[5] or 0), float(row[6] or 0))
    return Contender(id=row[0], run=row[1], agent=row[2], provider=row[3], starts=row[4], stagger_s=stagger)


def _limits(cursor: Any, candidates: list[Contender], tenant_limit: int, now: datetime) -> ConcurrencyLimits:
    cursor.execute(_LIMITS, {"agents": list({candidate.agent for candidate in candidates})})
    agents: dict[Any, int] = {}
    next_start: dict[Any, datetime] = {}
    for agent, most, start, *throttled in cursor.fetchall():
        state = Throttle(**dict(zip(("at_once", "resumes_at", "down_since", "probe_at"), throttled, strict=True)))
        free = [limit for limit in (most, places(state, now=now)) if limit is not None]
        agents |= {agent: min(free)} if free else {}
        next_start |= {agent: start} if start is not None else {}
    cursor.execute(_PROVIDERS)
    providers: Mapping[str, int] = dict(cursor.fetchall())
    return ConcurrencyLimits(tenant=tenant_limit, agents=agents, providers=providers, next_start=next_start)


def _store_starts(choice: FairChoice) -> None:
    for agent, start in choice.next_start.items():
        if agent is not None:
            AgentThrottle.objects.update_or_create(agent_id=uuid.UUID(str(agent)), defaults={"next_start_at": start})
