"""The door's side of turns that runners come for: lease, extend, reply. One statement decides each."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest, Least

from apps.catalog.connections.queries.agents import connection_kinds
from apps.catalog.models import Agent
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.json_hygiene import storable
from apps.core.models import new_id
from apps.jobs.services.leases import LeasedTable
from apps.runs.agents.models import AgentThrottle
from apps.runs.conversations.models import TestRun
from apps.runs.domain.pulled_turns import LEASE, PulledState
from apps.runs.domain.states import ConversationStatus
from apps.runs.pulled.models import PulledTurn

KIND = "pulled"
NOTED_EVERY = timedelta(seconds=1)
_TURNS = LeasedTable(
    table="runs_pulledturn",
    lease=LEASE,
    joins="JOIN runs_conversation c ON c.id = w.conversation_id",
    pending="""w.state = 'pending' AND c.status = 'running' AND c.attempt = w.attempt
      AND (w.agent_id = %(agent)s AND (%(runs)s::uuid[] IS NULL OR c.run_id = ANY(%(runs)s::uuid[]))
        OR w.agent_id IS NULL AND c.run_id = ANY(%(own)s::uuid[]))""",
    also_set=""", state = 'leased', leased_at = %(now)s,
      answer_by = %(now)s::timestamptz + w.timeout_s * interval '1 second'""",
    order="w.asked_at, w.created_at, w.id",
    held="w.state = 'leased'",
)
# What a killed worker left: nobody waits for it, and its texts go.
_SWEEP = """
UPDATE runs_pulledturn w SET state = 'lost', messages = '[]', context = '{}', reply = '{}' FROM runs_conversation c
WHERE (w.agent_id = %s OR w.agent_id IS NULL AND c.run_id = ANY(%s::uuid[]))
  AND w.state IN ('pending', 'leased', 'replied') AND c.id = w.conversation_id
  AND (c.status <> 'running' OR c.attempt <> w.attempt)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedTurns:
    """Turns a runner has to answer now, as the API shows them. `agent_was_down`: a conversation waits to try it."""

    turns: Sequence[Mapping[str, Any]]
    agent_was_down: bool


@transaction.atomic
def lease_turns(*, agent: str, most: int, now: datetime, runs: Sequence[uuid.UUID] = ()) -> LeasedTurns:
    """Lease up to `most` turns of this agent that no runner has, oldest first, each for LEASE.

    An agent that is down is tried again at once. With `runs` only turns of these: two pull requests with one agent
    answer each their own. Turns of a run that brought its agent are had by naming the run alone. Nine queries, whatever
    there is. Two runners never get the same turn.

    Raises BadInput: `unknown_agent`, `not_pulled` where no connection of the agent is of that kind.
    """
    own = _runs_that_brought(agent, runs, now)
    agent_id = _pulled_agent(agent, required=not own)
    was_down = agent_id is not None and _seen(agent_id, now)
    token = new_id()
    with connection.cursor() as cursor:
        cursor.execute(_SWEEP, [agent_id, own])
    claimed = _TURNS.claim(token=token, limit=most, now=now, agent=agent_id, runs=list(runs) or None, own=own)
    ids = [row[0] for row in claimed]
    rows = PulledTurn.objects.filter(pk__in=ids).order_by("asked_at", "created_at", "pk") if ids else ()
    return LeasedTurns(turns=[_document(row) for row in rows], agent_was_down=was_down)


def extend_turn(*, turn_id: uuid.UUID, lease: uuid.UUID, now: datetime) -> datetime:
    """The runner still works on it: until when it is its own now; never longer than the agent may take for an answer.
    Two queries. Raises NotFound, and Conflict (`lease_gone`) where nobody waits for it any more."""
    held = _alive(turn_id).filter(state=PulledState.LEASED, lease_token=lease, answer_by__gt=now)
    if not held.update(lease_expires_at=Least(now + LEASE, F("answer_by"))):
        raise _lease_gone(turn_id, lease)
    return PulledTurn.objects.values_list("lease_expires_at", flat=True).get(pk=turn_id) or now


def reply_to_turn(*, turn_id: uuid.UUID, lease: uuid.UUID, reply: Mapping[str, Any], now: datetime) -> None:
    """Store what the agent answered: {"content", "tool_calls", "ended", "latency_ms", "usage"} or {"error", "fault"}.

    The same reply again is fine and changes nothing. Raises NotFound, and Conflict: `lease_gone` where nobody waits for
    it any more or another runner has it, `already_replied` for another reply. One query, two more where it is refused.
    """
    reply = storable(dict(reply))
    digest = sha256_hex(reply)
    held = _alive(turn_id).filter(state=PulledState.LEASED, lease_token=lease)
    if held.update(state=PulledState.REPLIED, reply=reply, reply_digest=digest, answered_at=now):
        return
    before = PulledTurn.objects.filter(pk=turn_id, lease_token=lease).exclude(reply_digest="")
    earlier = before.values_list("reply_digest", flat=True).first()
    if earlier is None:
        raise _lease_gone(turn_id, lease)
    if earlier != digest:
        raise Conflict("This turn has another reply already: the first one counts.", code="already_replied")


def note_refusal(*, turn_id: uuid.UUID, lease: uuid.UUID | None, why: str, too_large: bool) -> None:
    """Store why a reply to this turn was refused, in case its runner sends no better one.
    With `too_large` the agent is at fault. Does nothing if the turn is not leased under `lease` (None: the reply was
    too large to read its lease). One query."""
    held = _alive(turn_id).filter(state=PulledState.LEASED, **({} if lease is None else {"lease_token": lease}))
    refused = {"refused": storable(why[:2000]), "too_large": too_large}
    held.update(reply=refused)


def find_turn(turn_id: uuid.UUID) -> None:
    """Refuse a turn that this tenant does not have. Raises NotFound. One query."""
    if not PulledTurn.objects.filter(pk=turn_id).exists():
        raise NotFound(f"There is no pulled turn {turn_id}.")


def _alive(turn_id: uuid.UUID) -> QuerySet[PulledTurn]:
    """The turn, where its conversation still is in the attempt it was left in."""
    running = ConversationStatus.RUNNING
    return PulledTurn.objects.filter(pk=turn_id, conversation__status=running, conversation__attempt=F("attempt"))


def _lease_gone(turn_id: uuid.UUID, lease: uuid.UUID) -> Exception:
    row = PulledTurn.objects.filter(pk=turn_id).values("state", "lease_token").first()
    if row is None:
        return NotFound(f"There is no pulled turn {turn_id}.")
    if row["lease_token"] != lease:
        why = "it is another runner's" if row["state"] == PulledState.LEASED else "this lease was never its own"
    elif row["state"] in (PulledState.REPLIED, PulledState.DELIVERED):
        why = "it was replied to"
    else:
        why = "its time was over, or its conversation was stopped or begun again"
    return Conflict(f"Nobody waits for this turn under this lease: {why}.", code="lease_gone")


def _runs_that_brought(agent: str, runs: Sequence[uuid.UUID], now: datetime) -> list[uuid.UUID]:
    """Return those of these runs that brought an agent of this name.

    A runner's request for them is noted once a second.
    """
    brought = TestRun.objects.filter(pk__in=list(runs), agent=None, plan__agent__name=agent, plan__agent__kind=KIND)
    seen_at = dict(brought.values_list("pk", "runner_seen_at"))
    stale = [pk for pk, seen in seen_at.items() if seen is None or seen < now - NOTED_EVERY]
    if stale:
        TestRun.objects.filter(pk__in=stale).update(runner_seen_at=now)
    return list(seen_at)


def _pulled_agent(name: str, *, required: bool) -> uuid.UUID | None:
    """Return the agent's row where it is pulled. Raises BadInput where it is `required` and there is no such agent."""
    row = Agent.objects.filter(name=name).values("pk", "kind").first()
    if row is None and not required:
        return None
    if row is None:
        raise BadInput(f"There is no agent {name!r}.", code="unknown_agent", pointer="/agent")
    kinds = connection_kinds(row["pk"]) if row["kind"] != KIND else (KIND,)
    if KIND not in kinds and not required:
        return None
    if KIND not in kinds:
        raise BadInput(
            f"Agent {name!r} is reached by {', '.join(kinds)}: only the turns of a connection of kind {KIND} can be "
            "leased.",
            code="not_pulled",
            pointer="/agent",
        )
    return uuid.UUID(str(row["pk"]))


def _seen(agent_id: uuid.UUID, now: datetime) -> bool:
    """Note that a runner asks; whether its agent was taken to be down. It is tried again now: the runner is there."""
    AgentThrottle.objects.get_or_create(pk=agent_id)
    rows = AgentThrottle.objects.filter(pk=agent_id)
    rows.update(runner_seen_at=Greatest(F("runner_seen_at"), now))
    return bool(rows.filter(down_since__isnull=False).update(probe_at=Least(F("probe_at"), now)))


def _document(row: PulledTurn) -> dict[str, Any]:
    expires = row.lease_expires_at
    return {
        "id": str(row.pk),
        "lease": str(row.lease_token),
        "conversation_id": str(row.conversation_id),
        "attempt": row.attempt,
        "position": row.position,
        "session": row.session,
        "messages": row.messages,
        "context": row.context,
        "expires_at": expires.isoformat() if expires else None,
        "answer_by": row.answer_by.isoformat() if row.answer_by else None,
    }
