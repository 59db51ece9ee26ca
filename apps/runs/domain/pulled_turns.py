"""Turns that a runner comes for: what it is told, what its reply means, when nobody waits any longer. Pure."""

import uuid
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from apps.connectors.agents.runners import RelayedResponse, RunnerAnswer, RunnerQuestion
from apps.connectors.errors import AgentFailed, Unreachable

LEASE = timedelta(seconds=30)  # a runner extends it while its agent works: one that died is noticed so soon


class LeaseGone(Exception):
    """The conversation is another worker's, or nobody's: nothing more may be sent in it from here."""


class PulledState(StrEnum):
    """The state of a turn that a runner answers.

    PENDING: no runner has it. LEASED: one works on it. REPLIED: its reply is there. DELIVERED: the conversation has it.
    LOST: nobody waits for it any more.
    """

    PENDING = "pending"
    LEASED = "leased"
    REPLIED = "replied"
    DELIVERED = "delivered"
    LOST = "lost"


OPEN = (PulledState.PENDING, PulledState.LEASED, PulledState.REPLIED)


class RunnerFault(StrEnum):
    """The fault that a runner reports: the agent broke over the turn, or could not be reached."""

    AGENT = "agent"
    TRANSPORT = "transport"


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledRequest:
    """A turn that a runner is to answer; its player waits for `answer` until the turn is answered or lost."""

    position: int
    question: RunnerQuestion
    context: Mapping[str, Any]
    answer: "Future[RunnerAnswer]" = field(default_factory=Future)


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledLook:
    """A row as its worker sees it. `held`: the conversation is still this worker's, in this attempt; `runner_seen_at`:
    when a runner of the agent last asked for turns."""

    state: PulledState
    held: bool
    asked_at: datetime
    timeout_s: float
    reply: Mapping[str, Any]
    leased_at: datetime | None
    lease_expires_at: datetime | None
    answer_by: datetime | None
    answered_at: datetime | None
    runner_seen_at: datetime | None


def pulled_id(conversation_id: uuid.UUID, *, attempt: int, position: int) -> uuid.UUID:
    """The id of a turn's row: always the same one, so that writing it again writes it once."""
    return uuid.uuid5(conversation_id, f"{attempt}-{position}")


def runner_context(spec: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """The context that a runner gets beside the messages: {"language", "scenario", "now", "vars", "metadata"}."""
    named = {"persona": "persona_name", "repeat": "repeat", "seed": "seed", "golden_session": "golden_session"}
    return {
        "language": str(spec.get("language") or ""),
        "scenario": str(spec.get("scenario") or spec.get("golden_session") or ""),
        "now": str(spec.get("now") or now.isoformat()),
        "vars": dict(spec.get("vars") or spec.get("variables") or {}),
        "metadata": {name: spec[key] for name, key in named.items() if key in spec},
    }


def outcome_of(look: PulledLook, *, now: datetime) -> RunnerAnswer | Exception | None:
    """The outcome of the row's turn; None while the player still waits for it."""
    if not look.held or look.state not in OPEN:
        return LeaseGone()
    if look.state is PulledState.REPLIED:
        return _answer(look)
    if look.state is PulledState.LEASED:
        return _late(look, now)
    silent = (now - max(look.asked_at, look.runner_seen_at or look.asked_at)).total_seconds()
    if silent < look.timeout_s:
        return None
    return Unreachable(
        f"no runner has asked for this agent's turns for {look.timeout_s:g} s: is it running, with this server's "
        "address and a key that may write?",
        sent=False,
    )


def _answer(look: PulledLook) -> RunnerAnswer | Exception:
    reply = look.reply
    if words := reply.get("error"):
        if reply.get("fault") == RunnerFault.TRANSPORT:
            return Unreachable(f"the runner could not reach the agent: {words}")
        return AgentFailed(f"the agent failed in its runner: {words}")
    between = (look.answered_at or look.asked_at) - (look.leased_at or look.asked_at)
    measured = reply.get("latency_ms")
    return RunnerAnswer(
        content=str(reply.get("content") or ""),
        latency_ms=round(between.total_seconds() * 1000) if measured is None else round(measured),
        response=RelayedResponse(**reply["response"]) if reply.get("response") else None,
        tool_calls=tuple(reply.get("tool_calls") or ()),
        ended=bool(reply.get("ended")),
        usage=dict(reply.get("usage") or {}),
    )


def _late(look: PulledLook, now: datetime) -> Exception | None:
    ends = [at for at in (look.answer_by, look.lease_expires_at) if at is not None]
    if (why := look.reply.get("refused")) and ends and now >= min(ends):
        if look.reply.get("too_large"):
            return AgentFailed(f"the runner's answer was too large: {why}")
        return Unreachable(f"the runner's answer was refused, and no other one came: {why}")
    if look.answer_by is not None and now >= look.answer_by:
        return Unreachable(f"the agent did not answer within {look.timeout_s:g} s", timed_out=True)
    if look.lease_expires_at is not None and now >= look.lease_expires_at:
        return Unreachable("the runner took the turn and was not heard of again: its lease has ended")
    return None
