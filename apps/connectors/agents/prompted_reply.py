"""One reply of an agent that is a prompt: the model, its rounds of tool calls, and its words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import httpx

from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.capabilities import AskModel
from apps.connectors.agents.prompted_tools import AgentTool
from apps.connectors.errors import AgentFailed, RateLimited
from apps.connectors.llms.base import ChatMessage, LLMRequest, LLMResponse
from apps.core.conversation import ToolCall
from apps.core.model_thoughts import without_thoughts


@dataclass(slots=True, kw_only=True)
class PromptedReply:
    """One reply in the making: the model's rounds of tool calls until it speaks."""

    spec: AgentSpec
    tools: Mapping[str, AgentTool]
    max_tool_rounds: int
    ask: AskModel
    session: str
    client: httpx.AsyncClient
    messages: list[ChatMessage] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: dict[str, str] = field(default_factory=dict)
    ended: bool = False
    rounds: int = 0

    async def spoken(self, request: LLMRequest) -> LLMResponse:
        """The model's words, after its tools. Raises AgentFailed where it calls tools without end, RateLimited before
        the first tool, what `ask` and tools raise. One model call, and one more for each round."""
        self.messages = list(request.messages)
        while True:
            response = await self._asked(replace(request, messages=tuple(self.messages)))
            if not response.tool_calls or self.ended:
                if response.text:  # providers refuse a message without content
                    self.messages.append(ChatMessage("assistant", response.text))
                return response
            if self.rounds >= self.max_tool_rounds:
                raise AgentFailed(f"the agent called tools in {self.rounds + 1} rounds without a word to the customer")
            self.ended = await self._call_tools(response)
            if self.ended and response.text:
                self.messages.append(ChatMessage("assistant", response.text))
                return response

    async def _asked(self, request: LLMRequest) -> LLMResponse:
        """Ask the model, and return its answer without the thoughts that it wrote down: they are not for the customer.

        Once tools were called the turn cannot begin again, so a rate limit is waited out within the reply's time;
        before that, RateLimited is raised. Raises AgentFailed where a thought has no end.
        """
        while True:
            try:
                response = await self.ask(request)
            except RateLimited as error:
                if not self.rounds:
                    raise
                await asyncio.sleep(error.retry_after)
                continue
            words = without_thoughts(response.text)
            if words is None:
                raise AgentFailed("the model thought aloud and came to no reply: raise max_output_tokens")
            return response if words == response.text else replace(response, text=words.strip())

    async def _call_tools(self, response: LLMResponse) -> bool:
        """Tell whether one of them ends the conversation."""
        self.rounds += 1
        ends = False
        calls = tuple(
            replace(call, id=f"{call.id}.{self.rounds}") if call.id in self.results else call
            for call in response.tool_calls
        )
        self.messages.append(ChatMessage("assistant", response.text, tool_calls=calls))
        for call in calls:
            tool = self.tools.get(call.name)
            if tool is None:
                result = json.dumps({"error": f"there is no tool {call.name!r}"})
            else:
                result = await tool.result(call, spec=self.spec, session=self.session, client=self.client)
                ends = ends or tool.ends
            self.calls.append(replace(call, extra={}))
            self.results[str(call.id)] = result
            self.messages.append(ChatMessage("tool", result, result_of=call))
        return ends
