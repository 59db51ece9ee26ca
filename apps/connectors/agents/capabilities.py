"""Abilities of some kinds of agent beside answering. A caller asks by `isinstance(connector, KeepsTranscript)`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    import httpx

    from apps.connectors.agents.base import AgentConnector, AgentSession
    from apps.connectors.llms.base import LLMRequest, LLMResponse
    from apps.core.attached_files import AttachedFile
    from apps.core.conversation import TurnRole


AskModel: TypeAlias = "Callable[[LLMRequest], Awaitable[LLMResponse]]"


@runtime_checkable
class SpeaksThroughModel(Protocol):
    """The agent is a prompt and a model: whoever plays it pays for its calls, and hands them in. At most
    `max_tool_rounds` calls beside the one that speaks."""

    max_tool_rounds: int

    @property
    def model_role(self) -> Mapping[str, Any]:
        """{"provider", "model", "fallback"?} of the model that speaks."""
        ...

    def question(self, text: str = "", session: AgentSession | None = None) -> LLMRequest:
        """The request to the model at a turn, for an estimate of its cost."""
        ...

    def with_model(self, ask: AskModel) -> AgentConnector:
        """Return a copy of this agent that calls its model by this function."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptMessage:
    """One message as the agent stores it. `message_id` is the agent's own, "" where it gives none; `at` is in UTC, None
    where the agent tells no time; `files` the names of what came with it, where the agent says them. An upload without
    words is a user message with `text` ""."""

    role: TurnRole
    text: str
    message_id: str = ""
    at: datetime | None = None
    files: tuple[str, ...] = ()


@runtime_checkable
class KeepsTranscript(Protocol):
    """An agent that stores the conversation and lets us read it."""

    async def look_again(self, session: AgentSession, client: httpx.AsyncClient) -> tuple[TranscriptMessage, ...]:
        """Return the conversation as the agent has it now, oldest first.

        Empty where it has none yet, also for a session that was never opened. One GET; sends no turn, so it may be
        repeated. Raises a ConnectorError.
        """
        ...

    @property
    def reply_within_s(self) -> float:
        """Seconds after which no answer to a turn is expected any more."""
        ...

    def session_after(self, session: AgentSession, messages: Sequence[TranscriptMessage]) -> AgentSession:
        """Return the session after these messages, for a client that missed some answers. No call."""
        ...


@runtime_checkable
class OpensConversations(Protocol):
    """A conversation can be opened before the first turn, so that its id can be stored before anything is sent."""

    async def open(self, session: AgentSession, *, message_id: str, client: httpx.AsyncClient) -> AgentSession:
        """The session with the agent's own id in `context_id`; the same session where it was open already. The agent's
        greeting, "" where it gave none, is `state["greeting"]`. One call. Raises a ConnectorError."""
        ...


@runtime_checkable
class TakesUploads(Protocol):
    """Files go to the agent apart from the turn that names them. `send(attachments=…)` does so by itself."""

    async def upload(self, file: AttachedFile, session: AgentSession, client: httpx.AsyncClient) -> str:
        """The agent's id of the stored file. One call. Repeating it stores the file twice. Raises a ConnectorError."""
        ...


@runtime_checkable
class ClosesConversations(Protocol):
    """A conversation can be ended from our side."""

    async def close(self, session: AgentSession, client: httpx.AsyncClient) -> None:
        """End it. Does nothing where it was never opened or is closed already. Raises a ConnectorError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseObservation:
    """Observation of a case.

    `case` is {"id", "status", "stages": [{"name", "status": completed|active|future}]}, None where the conversation has
    none; `step_agents` are {source: names} of step agents that its fields and stages tell of.
    """

    case: Mapping[str, Any] | None = None
    step_agents: Mapping[str, Sequence[str]] = field(default_factory=dict)


@runtime_checkable
class ObservesCases(Protocol):
    """The case that a conversation works on can be looked at."""

    async def observe(self, session: AgentSession, client: httpx.AsyncClient) -> CaseObservation:
        """The case as it is now. Reads only, so it may be repeated; waits for a view that is behind. Raises a
        ConnectorError."""
        ...
