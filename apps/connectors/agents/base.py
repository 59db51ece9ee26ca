"""The interface of an agent under test: open a session, say something, hear the reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from apps.connectors.agents.prompt_delivery import PromptDelivery
from apps.core.attached_files import AttachedFile
from apps.core.conversation import ToolCall, TurnRole, Utterance

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """Connection to an agent: frozen into a run's plan, secrets apart.

    `kind` is one of registry.kinds(); `address` its URL; `options` the kind's own settings; `secrets` decrypted values
    (bearer token, client secret), never stored in a plan and never in a repr. `connections` are further ways to the
    same agent, by kind: what `auto` chooses from. `prompt` is sent with every request, to a staging connection.
    """

    kind: str
    address: str
    options: Mapping[str, Any] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = 60.0
    connections: Mapping[str, AgentSpec] = field(default_factory=dict)
    prompt: PromptDelivery | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSession:
    """One conversation as the agent knows it. Plain data: it can be stored and taken up again.

    `context_id` is ours before the first turn and the agent's own after it; `state` is the connector's (task ids …).
    `state["message_id"]` is the agent's own id of its last reply, where it gives ids.
    """

    context_id: str | None = None
    state: Mapping[str, Any] = field(default_factory=dict)


class ReplyPart(StrEnum):
    """The parts of a reply beside its words, where the way to the agent shows them."""

    TOOL_CALLS = "tool_calls"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReply:
    """The agent's answer to one turn. `ended` is True when the agent itself closed the conversation.

    `tool_calls` are those the agent made for this reply and chose to show, `tool_results` what came back, by call id.
    An agent that said nothing has `text` "": that is its answer, not an error. `usage` is what the agent itself says it
    spent on the reply ({"input_tokens", "output_tokens", "cost_usd", "model"}, any of them). `hidden` are the parts
    that the way to the agent does not show: that they are empty says nothing.
    """

    text: str
    session: AgentSession
    latency_ms: int
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: Mapping[str, str] = field(default_factory=dict)
    task_state: str | None = None
    ended: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[ReplyPart, ...] = ()

    def tool_turns(self, *, at: datetime | None) -> tuple[Utterance, ...]:
        """Return the tool calls as turns of the conversation document, to stand before the reply.

        One assistant turn without text holds the calls; a tool turn follows for each result. () without calls.
        """
        if not self.tool_calls:
            return ()
        calls = Utterance(role=TurnRole.ASSISTANT, content="", tool_calls=self.tool_calls, ts=at)
        results = (
            Utterance(
                role=TurnRole.TOOL, content=self.tool_results[call.id], tool_call_id=call.id, name=call.name, ts=at
            )
            for call in self.tool_calls
            if call.id is not None and call.id in self.tool_results
        )
        return (calls, *results)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTurn:
    """One message to an agent, with its conversation. `message_id` names the turn: every repeat has the same."""

    text: str
    session: AgentSession
    message_id: str
    attachments: tuple[AttachedFile, ...] = ()


class DefaultSettings:
    """The defaults of an agent kind without options of its own. Such a kind opens a new conversation for an empty
    session, and needs no remark on a first reply. A kind says otherwise by its own members."""

    OPTIONS: ClassVar[frozenset[str]] = frozenset()

    @property
    def separates_sessions(self) -> bool:
        """True: the agent is sure to open a new conversation for an empty session."""
        return True

    def remarks(self, reply: AgentReply) -> tuple[str, ...]:
        """Return no remark: the kind's answers say enough."""
        return ()


class AgentConnector(Protocol):
    """One kind of agent; registry.agent_for(spec) finds it by kind. What more a kind can do stands in capabilities.py.

    OPTIONS are the names that `spec.options` may have: registry.check_settings refuses others before they are saved.
    """

    OPTIONS: ClassVar[frozenset[str]]
    spec: AgentSpec

    @property
    def separates_sessions(self) -> bool:
        """Tell whether an empty session is sure to be a new conversation to the agent. False where nothing in a request
        names the conversation: then no attempt can start clean after another."""
        ...

    def remarks(self, reply: AgentReply) -> tuple[str, ...]:
        """Remarks about settings that do not seem to work, judged by the first reply; empty where all work."""
        ...

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """Say one turn and wait for the reply. A repeat on the wire carries the same `turn.message_id`, and comes only
        when it is certain that nothing was delivered. Raises a ConnectorError; never sends a turn twice when the first
        may have arrived."""
        ...
