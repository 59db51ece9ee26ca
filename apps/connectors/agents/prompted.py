"""An agent that is a prompt: prompt, model and tools are themselves the agent under test, with nothing deployed.

    options.prompt           name of a recorded prompt (its newest version), or one version `name@sha`
    options.prompt_text      the text itself; a run's plan holds it frozen
    options.provider, .model, .fallback {provider, model}     who speaks; see docs/run.md for providers
    options.tools            see prompted_tools
    options.max_tool_rounds  rounds of tool calls within one reply, 5
    options.max_output_tokens  1024, and options.temperature, for models that take one

The model is handed in by whoever pays for it (`with_model`): connectors know no budget. Its session is plain data, the
whole conversation with its tool calls, so a stored one can be taken up by another worker.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import httpx

from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec, AgentTurn, DefaultSettings
from apps.connectors.agents.capabilities import AskModel
from apps.connectors.agents.prompted_reply import PromptedReply
from apps.connectors.agents.prompted_session import read_message, stored_message
from apps.connectors.agents.prompted_tools import read_tools
from apps.connectors.errors import RemoteRefusal, Unreachable
from apps.connectors.llms.base import ChatMessage, Finish, LLMRequest
from apps.connectors.places import answered_within
from apps.core.errors import BadInput

MAX_TOOL_ROUNDS = 5
MAX_OUTPUT_TOKENS = 1024


class PromptedAgent(DefaultSettings):
    """A prompt played by a model. One reply costs one model call, and one more for each round of tool calls."""

    OPTIONS = frozenset(
        {
            "prompt",
            "prompt_text",
            "provider",
            "model",
            "fallback",
            "tools",
            "max_tool_rounds",
            "max_output_tokens",
            "temperature",
        }
    )

    def __init__(self, spec: AgentSpec, ask: AskModel | None = None) -> None:
        options = spec.options
        self.spec = spec
        self._ask = ask
        for name in ("provider", "model"):
            if not isinstance(options.get(name), str) or not options[name].strip():
                raise BadInput(f"an agent of kind prompted needs a {name}", pointer=f"/options/{name}")
        if not (options.get("prompt") or options.get("prompt_text")):
            raise BadInput(
                "an agent of kind prompted needs a prompt: the name of a recorded one, or prompt_text",
                pointer="/options/prompt",
            )
        if options["provider"] == "offline":
            raise BadInput("the offline rules cannot speak as an agent: name a model", pointer="/options/provider")
        self.tools = read_tools(options.get("tools", ()))
        self.max_tool_rounds = _whole(options, "max_tool_rounds", MAX_TOOL_ROUNDS, low=0, high=50)
        self.max_output_tokens = _whole(options, "max_output_tokens", MAX_OUTPUT_TOKENS, low=1, high=128_000)

    @property
    def model_role(self) -> Mapping[str, Any]:
        """{"provider", "model", "fallback"?} of the model that speaks."""
        chosen = {name: self.spec.options[name] for name in ("provider", "model")}
        return chosen | ({"fallback": self.spec.options["fallback"]} if self.spec.options.get("fallback") else {})

    def with_model(self, ask: AskModel) -> PromptedAgent:
        """Return this agent, speaking through the model."""
        return PromptedAgent(self.spec, ask)

    def remarks(self, reply: AgentReply) -> tuple[str, ...]:
        """Remark on an answer that was cut."""
        cut = reply.raw.get("finish") == Finish.LENGTH.value
        return ("the reply was cut: raise max_output_tokens",) if cut else ()

    def question(self, text: str = "", session: AgentSession | None = None) -> LLMRequest:
        """The request to the model at this turn."""
        stored = (session or AgentSession()).state.get("messages") or ()
        messages = (*(read_message(one) for one in stored), ChatMessage("user", text))
        return LLMRequest(
            system=str(self.spec.options.get("prompt_text") or ""),
            messages=messages,
            max_output_tokens=self.max_output_tokens,
            temperature=self.spec.options.get("temperature"),
            timeout_s=self.spec.timeout_s,
            tools=tuple(tool.definition for tool in self.tools.values()),
            may_widen=False,
        )

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """One turn. Raises AgentFailed where it calls tools without end, RateLimited, ModelError, and what a tool's
        server does. A file is told by its name: the model sees no bytes."""
        if self._ask is None or not self.spec.options.get("prompt_text"):
            raise RemoteRefusal("this agent is a prompt: it needs its model and its prompt's text to speak")
        named = "".join(f"\n[I have attached a file: {attachment.name}]" for attachment in turn.attachments)
        session = turn.session
        context = session.context_id if session.state.get("messages") else None
        reply = PromptedReply(
            spec=self.spec,
            tools=self.tools,
            max_tool_rounds=self.max_tool_rounds,
            ask=self._ask,
            session=context or f"prompted-{turn.message_id}",
            client=client,
        )
        started = time.perf_counter()
        try:
            async with answered_within(self.spec.timeout_s):
                response = await reply.spoken(self.question(f"{turn.text}{named}".strip(), session))
        except TimeoutError as error:
            raise Unreachable(
                f"the prompted agent did not answer within {self.spec.timeout_s:g} s", timed_out=True
            ) from error
        return AgentReply(
            text=response.text,
            session=AgentSession(
                context_id=reply.session, state={"messages": [stored_message(message) for message in reply.messages]}
            ),
            latency_ms=round((time.perf_counter() - started) * 1000),
            tool_calls=tuple(reply.calls),
            tool_results=reply.results,
            ended=reply.ended,
            raw={"model": response.model, "finish": response.finish.value, "tool_rounds": reply.rounds},
        )


def _whole(options: Mapping[str, Any], name: str, default: int, *, low: int, high: int) -> int:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadInput(f"{name} is a whole number from {low} to {high}", pointer=f"/options/{name}")
    return value
