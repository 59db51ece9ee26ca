"""An agent that is plain data: for tests, demonstrations and trying out a simulator. No network.

Options: `replies` (one after the other) or `rules` (the first whose `when`, a regular expression, is found in the
message, ignoring case), and `otherwise` where neither has an answer (default: an empty reply that ends the
conversation). A reply is a text or {"text", "tool_calls", "ended", "delay_s", "task_state", "fail"}; `{text}` in it is
replaced by what was said, `{turn}` by the turn's number from 1. `fail` is a name of FAILURES. `delay_s` counts against
the spec's timeout.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx

from apps.connectors.agents.base import AgentReply, AgentSpec, AgentTurn, DefaultSettings
from apps.connectors.agents.tool_calls import read_tool_calls
from apps.connectors.errors import (
    AgentFailed,
    AgentRefused,
    BadReply,
    ConnectorError,
    RateLimited,
    RemoteFailure,
    RemoteRefusal,
    Unreachable,
)
from apps.core.errors import BadInput
from apps.core.patterns import Pattern, PatternProblem, compile_pattern

FAILURES: Mapping[str, type[ConnectorError]] = {
    "agent_failed": AgentFailed,
    "agent_refused": AgentRefused,
    "bad_reply": BadReply,
    "rate_limited": RateLimited,
    "remote_failure": RemoteFailure,
    "remote_refusal": RemoteRefusal,
    "unreachable": Unreachable,
}


_REPLY_KEYS = ("text", "tool_calls", "ended", "delay_s", "task_state", "fail", "retry_after_s")


class ScriptedAgent(DefaultSettings):
    """Answers from its options. The session counts the turns, so it can be taken up again elsewhere."""

    OPTIONS = frozenset({"replies", "rules", "otherwise"})

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        options = spec.options
        self._replies = [_reply(item, f"/options/replies/{n}") for n, item in enumerate(options.get("replies", []))]
        self._rules = [_rule(item, f"/options/rules/{n}") for n, item in enumerate(options.get("rules", []))]
        self._otherwise = _reply(options.get("otherwise", {"text": "", "ended": True}), "/options/otherwise")

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """Answer from the script. Raises what the script says, and Unreachable where its delay is over the timeout."""
        started = time.perf_counter()
        session = turn.session
        number = int(session.state.get("turn", 0)) + 1
        reply = self._choose(turn.text, number)
        delay = float(reply.get("delay_s", 0.0))
        if delay:
            await asyncio.sleep(min(delay, self.spec.timeout_s))
        if delay > self.spec.timeout_s:
            raise Unreachable(f"the scripted agent did not answer within {self.spec.timeout_s:g} s", timed_out=True)
        if "fail" in reply:
            raise _failure(reply)
        calls, results = read_tool_calls(reply.get("tool_calls", []))
        context = session.context_id or f"scripted-{turn.message_id}"
        return AgentReply(
            text=str(reply.get("text", "")).replace("{text}", turn.text).replace("{turn}", str(number)),
            session=replace(session, context_id=context, state={**session.state, "turn": number}),
            latency_ms=round((time.perf_counter() - started) * 1000),
            tool_calls=calls,
            tool_results=results,
            task_state=reply.get("task_state"),
            ended=bool(reply.get("ended", False)),
        )

    def _choose(self, text: str, turn: int) -> Mapping[str, Any]:
        if turn <= len(self._replies):
            return self._replies[turn - 1]
        try:
            return next((reply for pattern, reply in self._rules if pattern.found_in(text)), self._otherwise)
        except PatternProblem as error:
            raise AgentRefused(f"the scripted agent cannot answer: {error.message}") from error


def _failure(reply: Mapping[str, Any]) -> ConnectorError:
    kind = FAILURES[reply["fail"]]
    message = str(reply.get("text") or f"the scripted agent fails with {kind.code}")
    if kind is RateLimited:
        return RateLimited(message, retry_after=float(reply.get("retry_after_s", 1.0)))
    return kind(message)


def _reply(item: Any, pointer: str) -> Mapping[str, Any]:
    if isinstance(item, str):
        return {"text": item}
    if not isinstance(item, Mapping):
        raise BadInput("a scripted reply is a text or an object", pointer=pointer)
    unknown = [key for key in item if key not in _REPLY_KEYS]
    if unknown:
        raise BadInput(
            f"a scripted reply has no {unknown[0]!r}: there are {', '.join(_REPLY_KEYS)}",
            pointer=f"{pointer}/{unknown[0]}",
        )
    if item.get("fail", "unreachable") not in FAILURES:
        raise BadInput(
            f"unknown failure {item['fail']!r}: choose from {', '.join(FAILURES)}", pointer=f"{pointer}/fail"
        )
    return item


def _rule(item: Any, pointer: str) -> tuple[Pattern, Mapping[str, Any]]:
    if not isinstance(item, Mapping) or "when" not in item:
        raise BadInput("a rule is an object with `when` and `say`", pointer=pointer)
    pattern = compile_pattern(str(item["when"]), f"{pointer}/when", ignore_case=True)
    return pattern, _reply(item.get("say", ""), f"{pointer}/say")
