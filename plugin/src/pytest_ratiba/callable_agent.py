"""A Python function as the agent under test: `async def reply(messages, context)`, or a plain one."""

import asyncio
import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from pytest_ratiba.replies import AgentReplyError, Observed, reply_body

if TYPE_CHECKING:
    from pytest_ratiba.environment.conversations import ConversationTenants
    from pytest_ratiba.pulled import LeasedTurn


class CallableAgent:
    """Answers leased turns by calling the function. What it raises loses the turn, with its words."""

    def __init__(self, function: Callable[..., Any], tenants: "ConversationTenants | None" = None) -> None:
        """`tenants`: each conversation has one of its own, in the function's context."""
        self.observed: dict[str, Observed] = {}
        self._function, self._tenants = function, tenants

    async def respond(self, turn: "LeasedTurn", context: Mapping[str, Any]) -> dict[str, Any]:
        """The body that answers the turn. Raises what the function raises."""
        async with AsyncExitStack() as stack:
            own: dict[str, Any] = {}
            if self._tenants is not None:
                own = await stack.enter_async_context(self._tenants.turn(turn.conversation_id, turn.context))
            began = time.monotonic()
            reply = await agent_reply(self._function, turn.messages, {**context, **own})
            taken_ms = round((time.monotonic() - began) * 1000)
        try:
            body = reply_body(self.observed.setdefault(turn.conversation_id, Observed()).take(reply))
        except AgentReplyError as error:
            return {"error": str(error)}
        return {"latency_ms": taken_ms, **body}

    async def close(self) -> None:
        """Nothing is held."""


async def agent_reply(function: Callable[..., Any], messages: list[dict[str, Any]], context: dict[str, Any]) -> Any:
    """Call the function and return its reply; a function that is not `async` runs in a thread.
    An error of the function is raised as it is."""
    if inspect.iscoroutinefunction(function):
        return await function(messages, context)
    reply = await asyncio.to_thread(function, messages, context)
    return await reply if inspect.isawaitable(reply) else reply
