"""Answer for an agent to which nobody connects: a runner comes for its turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from apps.connectors.agents.base import AgentConnector


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerQuestion:
    """A turn that a runner is to answer.

    It has the conversation so far as messages of the conversation document, the turn last; `session` is the same for
    all turns of one attempt. `timeout_s` bounds the answer.
    """

    messages: tuple[Mapping[str, Any], ...]
    session: str
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayedResponse:
    """An agent's HTTP answer to its runner, as it came. `protocol` is a2a or http; `retry_after` that header; `options`
    say where in an answer of http the reply, the end and the tool calls are, as the server's own do."""

    protocol: str
    status: int
    body: str
    content_type: str = ""
    retry_after: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerAnswer:
    """The answer that a runner posted.

    `tool_calls` have the form of read_tool_calls, `usage` that of AgentReply. `response` is the raw HTTP response of an
    agent that the runner called by network; only `latency_ms` is then read beside it.
    """

    content: str
    latency_ms: int
    response: RelayedResponse | None = None
    tool_calls: Sequence[Mapping[str, Any]] = ()
    ended: bool = False
    usage: Mapping[str, Any] = field(default_factory=dict)


AskRunner: TypeAlias = "Callable[[RunnerQuestion], Awaitable[RunnerAnswer]]"


@runtime_checkable
class AnsweredByRunner(Protocol):
    """Agent to which nobody connects: a runner comes for its turns. Its player leaves them where the runner looks."""

    def with_runner(self, ask: AskRunner) -> AgentConnector:
        """Return a copy of this agent that asks its runner by `ask`."""
        ...
