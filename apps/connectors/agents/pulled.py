"""An agent that is answered by a runner: a process that asks this server for turns and posts the replies.

The server never connects to it. So an agent on a developer's localhost, or a Python function, can be tested by a server
elsewhere. Who plays hands in the way to the runner (`with_runner`): connectors know no rows. The session is plain data,
the whole conversation with its tool calls, and goes with every turn: a runner needs no memory of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx

from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec, AgentTurn, DefaultSettings
from apps.connectors.agents.relayed import read_relayed
from apps.connectors.agents.runners import AskRunner, RunnerAnswer, RunnerQuestion
from apps.connectors.agents.tool_calls import read_tool_calls
from apps.connectors.errors import Unreachable
from apps.core.attached_files import AttachedFile
from apps.core.document_parsing import utterance_as_json
from apps.core.errors import BadInput


class PulledAgent(DefaultSettings):
    """No address and no options. `spec.timeout_s` bounds the time from the moment a runner takes a turn, and the time
    for which no runner may ask for turns."""

    def __init__(self, spec: AgentSpec, ask: AskRunner | None = None) -> None:
        if spec.address.strip():
            raise BadInput(
                "an agent of kind pulled has no address: its runner comes to this server", pointer="/address"
            )
        self.spec = spec
        self._ask = ask

    def with_runner(self, ask: AskRunner) -> PulledAgent:
        """Return a copy of this agent that asks its runner by `ask`."""
        return PulledAgent(self.spec, ask)

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """Leave one turn for the runner and wait for its reply. Files are told by name, digest and size. Raises what
        the runner reported: AgentFailed, Unreachable; what a relayed response amounts to (relayed.py); and Unreachable
        where no runner came, or its lease ended."""
        if self._ask is None:
            raise Unreachable("a runner answers this agent: it can only be asked in a test run", sent=False)
        session = turn.session
        known: list[Mapping[str, Any]] = list(session.state.get("messages") or ())
        latest: dict[str, Any] = {"role": "user", "content": turn.text}
        if turn.attachments:
            latest["attachments"] = [_named(file) for file in turn.attachments]
        own = session.context_id if known else None
        question = RunnerQuestion(
            messages=(*known, latest), session=own or f"pulled-{turn.message_id}", timeout_s=self.spec.timeout_s
        )
        reply = _reply(await self._ask(question), session)
        shown = [utterance_as_json(tool_turn) for tool_turn in reply.tool_turns(at=None)]
        messages = [*question.messages, *shown, {"role": "assistant", "content": reply.text}]
        return replace(reply, session=AgentSession(context_id=question.session, state={"messages": messages}))


def _reply(answer: RunnerAnswer, session: AgentSession) -> AgentReply:
    if answer.response is not None:
        return read_relayed(answer.response, session=session, latency_ms=answer.latency_ms)
    calls, results = read_tool_calls(answer.tool_calls)
    return AgentReply(
        text=answer.content,
        session=session,
        latency_ms=answer.latency_ms,
        tool_calls=calls,
        tool_results=results,
        ended=answer.ended,
        usage=answer.usage,
    )


def _named(file: AttachedFile) -> dict[str, Any]:
    return {"name": file.name, "media_type": file.kind, "sha256": file.sha256, "bytes": len(file.content)}
