"""The answer of an agent that a runner asked by one of our protocols, as it came over HTTP. It is read here by what our
own connectors read with, so words, tool calls, errors and blame are the same whoever dialled."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from apps.connectors.agents.a2a.dialects import UNDER_WAY
from apps.connectors.agents.a2a.exchange import RPCError, read_rpc, refuse
from apps.connectors.agents.a2a.reply import agent_reply, read_result
from apps.connectors.agents.base import AgentReply, AgentSession
from apps.connectors.agents.http.reply import HttpAnswerReader
from apps.connectors.agents.http_exchange import refuse_bad_status
from apps.connectors.agents.runners import RelayedResponse
from apps.connectors.errors import RateLimited, Unreachable

WHO = "the agent, which its runner asked,"


def read_relayed(response: RelayedResponse, *, session: AgentSession, latency_ms: int) -> AgentReply:
    """The reply to a turn. Raises as the connector of that protocol; an agent that asks for a pause its runner did not
    wait for is Unreachable: the runner's turn is over."""
    headers = {"content-type": response.content_type or "application/json"}
    headers |= {"retry-after": response.retry_after} if response.retry_after else {}
    answer = httpx.Response(response.status, headers=headers, content=response.body.encode("utf-8", "replace"))
    try:
        if response.protocol == "a2a":
            return _read_a2a(answer, session, latency_ms)
        return _read_http(answer, session, latency_ms, response.options)
    except RateLimited as error:
        raise Unreachable(str(error), raw=error.raw) from error


def _read_a2a(answer: httpx.Response, session: AgentSession, latency_ms: int) -> AgentReply:
    try:
        outcome = read_result(read_rpc(answer, WHO), who=WHO)
    except RPCError as error:
        refuse(error, WHO)
    if outcome.state in UNDER_WAY:
        raise Unreachable(f"{WHO} was still at its task when time was up", timed_out=True, raw=json.dumps(outcome.raw))
    return agent_reply(outcome, session, latency_ms, who=WHO)


def _read_http(
    answer: httpx.Response, session: AgentSession, latency_ms: int, options: Mapping[str, Any]
) -> AgentReply:
    refuse_bad_status(answer, WHO, took_turn=True)
    http_answer = HttpAnswerReader(options).read(answer, who=WHO)
    raw = http_answer.data if isinstance(http_answer.data, dict) else {"body": http_answer.data}
    return AgentReply(
        text=http_answer.text,
        session=session,
        latency_ms=latency_ms,
        tool_calls=http_answer.tool_calls,
        tool_results=http_answer.tool_results,
        ended=http_answer.ended,
        raw=raw,
        hidden=http_answer.hidden,
    )
