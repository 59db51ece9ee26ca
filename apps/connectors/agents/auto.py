"""A Pega agent by two ways in one conversation: AgentX for turns with a file, A2A for all others.

The two share the session, because the `contextId` of A2A is the id of the conversation in Pega. Each way is built when
the first turn needs it: a card that cannot be read hurts nobody who only uploads.
"""

from collections.abc import Sequence
from dataclasses import replace

import httpx

from apps.connectors.agents.a2a.agent import A2AAgent
from apps.connectors.agents.agentx import AgentXAgent
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec, AgentTurn, DefaultSettings
from apps.connectors.agents.capabilities import CaseObservation, TranscriptMessage
from apps.core.attached_files import AttachedFile
from apps.core.errors import BadInput


class AutoAgent(DefaultSettings):
    """Both ways, from `spec.connections`, agentx and a2a. Raises BadInput where one is missing."""

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        for kind in ("agentx", "a2a"):
            if kind not in spec.connections:
                raise BadInput(f"the transport auto needs a connection of kind {kind}", pointer="/transport")
        self._a2a: A2AAgent | None = None
        self._agentx: AgentXAgent | None = None

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """Send a turn by the protocol that it needs. Raises what that protocol raises."""
        session = turn.session
        if turn.attachments:
            return await self._by_agentx().send(replace(turn, session=_without_task(session)), client=client)
        self._a2a = self._a2a or A2AAgent(self.spec.connections["a2a"])
        reply = await self._a2a.send(turn, client=client)
        # Without a fresh id the old one would name a place before this turn: AgentX then counts the turns.
        earlier = {key: value for key, value in session.state.items() if key not in ("task_id", "message_id")}
        state = {**earlier, **reply.session.state, "turns": int(session.state.get("turns", 0)) + 1}
        return replace(reply, session=AgentSession(context_id=reply.session.context_id, state=state))

    async def open(self, session: AgentSession, *, message_id: str, client: httpx.AsyncClient) -> AgentSession:
        """Opened by AgentX; A2A goes on in it."""
        return await self._by_agentx().open(session, message_id=message_id, client=client)

    async def look_again(self, session: AgentSession, client: httpx.AsyncClient) -> tuple[TranscriptMessage, ...]:
        """The conversation as Pega has it, whichever way its turns went."""
        return await self._by_agentx().look_again(session, client)

    @property
    def reply_within_s(self) -> float:
        """The longer timeout of the two protocols, AgentX and A2A."""
        return max(self._by_agentx().reply_within_s, self.spec.connections["a2a"].timeout_s)

    def session_after(self, session: AgentSession, messages: Sequence[TranscriptMessage]) -> AgentSession:
        """Return the session as AgentX needs it; a task of A2A was that of an earlier turn."""
        return self._by_agentx().session_after(_without_task(session), messages)

    async def upload(self, file: AttachedFile, session: AgentSession, client: httpx.AsyncClient) -> str:
        """Upload a file by AgentX."""
        return await self._by_agentx().upload(file, session, client)

    async def close(self, session: AgentSession, client: httpx.AsyncClient) -> None:
        """Close the conversation by AgentX."""
        await self._by_agentx().close(session, client)

    async def observe(self, session: AgentSession, client: httpx.AsyncClient) -> CaseObservation:
        """Observe the case by AgentX."""
        return await self._by_agentx().observe(session, client)

    def _by_agentx(self) -> AgentXAgent:
        self._agentx = self._agentx or AgentXAgent(self.spec.connections["agentx"])
        return self._agentx


def _without_task(session: AgentSession) -> AgentSession:
    return replace(session, state={key: value for key, value in session.state.items() if key != "task_id"})
