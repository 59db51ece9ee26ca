"""The interface of a model provider: one verb, plain data in and out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from apps.connectors.llms.finish import Finish as Finish
from apps.connectors.llms.finish import finish_of as finish_of
from apps.connectors.llms.spec import ModelSpec as ModelSpec
from apps.connectors.llms.spec import TokenPrice as TokenPrice
from apps.core.conversation import ToolCall
from apps.core.usage import Usage

if TYPE_CHECKING:
    import httpx


MAX_OUTPUT_TOKENS = 128_000


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to the model; `role` is "user", "assistant" or "tool".

    `tool_calls` are those that an assistant message asks for; a tool message is the result of `result_of`, one of them.
    """

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    result_of: ToolCall | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool that a model may call; `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMRequest:
    """One question to a model.

    `schema` is the JSON Schema of the answer and `tools` are offered tools, both sent in each provider's own format.
    `facts` is the same question as plain data for the offline rules; it never leaves this process. `temperature` is
    None unless the model is known to accept it; `seed` is sent where the provider takes one. `may_widen` allows a
    truncated answer a second try with twice the tokens (False where the limit itself is tested). `is_judging` wants the
    same answer each time: without a temperature it is asked at 0 where the server's default is another
    (spec.own_temperature).
    """

    system: str
    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    max_output_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    timeout_s: float = 30.0
    facts: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[ToolDefinition, ...] = ()
    may_widen: bool = True
    is_judging: bool = False

    def widened(self) -> LLMRequest:
        """Return the question with twice the room for its answer."""
        return replace(self, max_output_tokens=min(2 * self.max_output_tokens, MAX_OUTPUT_TOKENS))


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMResponse:
    """One answer. `provider` is the spec's label, `model` the model as it names itself; `cost_usd` is None when its
    price is unknown (never 0). `tool_calls` are those it asks for before it goes on, `left_out` what its server refused
    by name and was not sent."""

    text: str
    finish: Finish
    provider: str
    model: str
    usage: Usage
    cost_usd: Decimal | None
    latency_ms: int
    request_id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def is_answer(self) -> bool:
        """Tell whether the model answered.

        What comes with a refusal or from behind a content filter is no answer, however much it looks like one.
        """
        return self.finish not in (Finish.REFUSAL, Finish.BLOCKED)

    @property
    def is_cut(self) -> bool:
        """Tell whether the answer ends where there was no more room for it."""
        return self.finish in (Finish.LENGTH, Finish.CONTEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One metered call, failed ones too: what the ledger keeps. `outcome` is "ok" or an error code."""

    provider: str
    model: str
    requested_model: str
    outcome: str
    usage: Usage
    cost_usd: Decimal | None
    latency_ms: int
    fallback: bool = False
    status: int | None = None
    error: str = ""
    request_id: str | None = None


class LLM(Protocol):
    """A model that can be asked. Implementations: anthropic, openai, gemini, vertex, offline."""

    spec: ModelSpec

    async def complete(self, request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        """One call on the wire, no repeats. Raises a ConnectorError (RateLimited, QuotaSpent, RemoteFailure,
        RemoteRefusal, Unreachable, BadReply, AddressRefused). Costs one model call."""
        ...
