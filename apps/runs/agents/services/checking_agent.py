"""One hello to an agent, through the connection its runs will use: does it work, and how fast?"""

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as replaced
from enum import StrEnum
from typing import Any

from django.utils import timezone

from apps.catalog.connections.queries.agents import agent_spec
from apps.catalog.connections.services.outbound_policies import agent_policy
from apps.connectors.agents.base import AgentConnector, AgentReply, AgentSession, AgentTurn
from apps.connectors.agents.capabilities import SpeaksThroughModel
from apps.connectors.agents.registry import agent_for
from apps.connectors.errors import AddressRefused, AgentFailed, AgentRefused, BadReply, ConnectorError, RemoteRefusal
from apps.connectors.outbound import outbound_client
from apps.runs.agents.services.prompted_hello import metered_hello
from apps.runs.services.conversation_player import error_words
from apps.runs.services.prompts import with_prompt_text

HELLO = "Hello"
ONE_CONVERSATION = (
    "nothing in its requests names the conversation: it cannot tell two apart, and a lost one cannot be begun again. "
    "Put {{ session }}, {{ history }} or {{ messages }} into its settings"
)


class Outcome(StrEnum):
    """The outcome of a hello to an agent. ANSWERED: it works. FAILED: it took the turn, and its answer cannot be used.
    MISCONFIGURED: our address, credentials or request are wrong. DOWN: it cannot be reached, or not now."""

    ANSWERED = "answered"
    FAILED = "failed"
    MISCONFIGURED = "misconfigured"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCheck:
    """The agent's reply to a hello, and its time; `remarks` are settings that do not seem to work, `error` is the
    fault."""

    outcome: Outcome
    sent: str
    reply: str = ""
    latency_ms: int | None = None
    session: str | None = None
    tool_calls: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    error_code: str = ""
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain data: of an error `{"code", "message"}` or null."""
        error: Mapping[str, str] | None = {"code": self.error_code, "message": self.error} if self.error else None
        return {
            "outcome": self.outcome.value,
            "sent": self.sent,
            "reply": self.reply,
            "latency_ms": self.latency_ms,
            "session": self.session,
            "tool_calls": list(self.tool_calls),
            "remarks": list(self.remarks),
            "error": error,
        }


def check_agent(
    *, agent_id: uuid.UUID | str, conversation: uuid.UUID, text: str = HELLO, at_most_s: float | None = None
) -> AgentCheck:
    """Send one turn to an agent in a conversation of its own, and say what came of it.

    Waits for the agent's own timeout, `at_most_s` if that is shorter. Raises NotFound, and BadInput for settings that
    cannot be used; Conflict where the budget has nothing left for an agent that is a prompt. One query, a handful for
    such an agent; do not call it in a transaction. Safe to repeat as far as the agent's hellos are.
    """
    spec = with_prompt_text(agent_spec(agent_id))
    if at_most_s is not None:
        spec = replaced(spec, timeout_s=min(spec.timeout_s, at_most_s))
    agent = agent_for(spec)
    try:
        reply = _reply(agent, text, message_id=f"check-{conversation}")
    except ConnectorError as error:
        return AgentCheck(outcome=_outcome(error), sent=text, error_code=error.code, error=error_words(error, agent))
    remarks = [*agent.remarks(reply)]
    if not agent.separates_sessions:
        remarks.append(ONE_CONVERSATION)
    if not reply.text:
        remarks.append("it said nothing")
    return AgentCheck(
        outcome=Outcome.ANSWERED,
        sent=text,
        reply=reply.text,
        latency_ms=reply.latency_ms,
        session=reply.session.context_id,
        tool_calls=tuple(call.name for call in reply.tool_calls),
        remarks=tuple(remarks),
    )


def _reply(agent: AgentConnector, text: str, *, message_id: str) -> AgentReply:
    policy = agent_policy()

    async def send(speaking: AgentConnector, client: Any) -> AgentReply:
        turn = AgentTurn(text=text, session=AgentSession(), message_id=message_id)
        return await speaking.send(turn, client=client)

    async def hello() -> AgentReply:
        async with outbound_client(policy) as client:
            return await send(agent, client)

    if isinstance(agent, SpeaksThroughModel):
        return metered_hello(agent, send, text=text, client=lambda: outbound_client(policy), now=timezone.now)
    return asyncio.run(hello())


def _outcome(error: ConnectorError) -> Outcome:
    if isinstance(error, AgentFailed | AgentRefused | BadReply):
        return Outcome.FAILED
    if isinstance(error, AddressRefused | RemoteRefusal):
        return Outcome.MISCONFIGURED
    return Outcome.DOWN
