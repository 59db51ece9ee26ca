"""OpenAI Chat Completions, and every server that speaks it by its base URL.

Such are Ollama, vLLM, a LiteLLM proxy and Azure's deployments.

Options: `supports_json_schema` (default True), `supports_json_object` (default True; used when there is no schema
support), `supports_temperature` (default False at OpenAI itself, whose reasoning models refuse it, True elsewhere),
`supports_seed` (default True at OpenAI itself, False elsewhere: not every server takes a field it does not know),
`auth_header` (default Authorization, with `Bearer `, at Azure api-key; another name carries the bare key),
`schema_bounds` (limits of numbers, lengths and lists go along with the schema; default False at OpenAI and Azure, which
refuse them, True elsewhere),
`max_tokens_field` (default max_completion_tokens at OpenAI itself and max_tokens elsewhere), `price_provider` (whose
price list counts, where the address is not OpenAI's own), `extra_body`. For all kinds: `timeout_s` (seconds an answer
may take, before the deployment's own).
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any

import httpx

from apps.connectors.errors import BadReply
from apps.connectors.llms.base import Finish, LLMRequest, LLMResponse, ModelSpec, finish_of
from apps.connectors.llms.endpoint import OPENAI_URL, endpoint, is_azure, is_openais_own
from apps.connectors.llms.http_json import Reply, post_json
from apps.connectors.llms.openai_tools import openai_message, openai_tools
from apps.connectors.llms.pricing import call_cost
from apps.connectors.llms.refused_parameters import LeftOut
from apps.connectors.llms.schemas import schema_in_words, strict_schema
from apps.connectors.llms.spec import own_temperature
from apps.connectors.llms.tokens import count
from apps.connectors.llms.tool_reading import numbered
from apps.core.chat_parts import calls_in, content_words, refusal_words
from apps.core.usage import Usage

_LIMITS = ("max_completion_tokens", "max_tokens")  # the newer name, then the older one
_FINISH: Mapping[str, Finish] = MappingProxyType(
    {
        "stop": Finish.STOP,
        "length": Finish.LENGTH,
        "tool_calls": Finish.TOOL,
        "function_call": Finish.TOOL,
    }
)


class OpenAI:
    """A model behind `/chat/completions`."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        base = spec.base_url or OPENAI_URL
        self._url = endpoint(base, "/chat/completions")
        self._official = self._url == endpoint(OPENAI_URL, "/chat/completions")
        self._bounds = bool(spec.options.get("schema_bounds", not is_openais_own(base)))
        header = str(spec.options.get("auth_header") or ("api-key" if is_azure(base) else "Authorization"))
        self._headers = {"content-type": "application/json"}
        if spec.api_key:
            self._headers[header] = f"Bearer {spec.api_key}" if header.lower() == "authorization" else spec.api_key
        self._max_tokens = str(
            spec.options.get("max_tokens_field") or ("max_completion_tokens" if self._official else "max_tokens")
        )

    async def complete(self, request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        """See base.LLM.complete."""
        reply = await post_json(
            client,
            self._url,
            headers=self._headers,
            body=lambda left_out: self._body(request, left_out),
            timeout_s=request.timeout_s,
            spec=self.spec,
        )
        return self._read(reply)

    def _body(self, request: LLMRequest, left_out: LeftOut) -> dict[str, Any]:
        options = self.spec.options
        system = request.system
        shape: dict[str, Any] = {}
        if request.schema is not None:
            if options.get("supports_json_schema", True) and "json_schema" not in left_out:
                strict = strict_schema(request.schema, bounds=self._bounds and "schema_bounds" not in left_out)
                named = {"name": request.schema_name, "strict": True, "schema": strict}
                shape = {"type": "json_schema", "json_schema": named}
            else:
                system = f"{system}\n\n{schema_in_words(request.schema)}".strip()
                plain = options.get("supports_json_object", True) and "json_object" not in left_out
                shape = {"type": "json_object"} if plain else {}
        messages = [{"role": "system", "content": system}] if system else []
        messages += [openai_message(message) for message in request.messages]
        body: dict[str, Any] = {"model": self.spec.model, "messages": messages, **openai_tools(request.tools)}
        limit = next((name for name in (self._max_tokens, *_LIMITS) if name not in left_out), None)
        if limit:
            body[limit] = request.max_output_tokens
        if shape:
            body["response_format"] = shape
        temperature = own_temperature(self.spec) if request.is_judging else None
        temperature = request.temperature if request.temperature is not None else temperature
        if temperature is not None and options.get("supports_temperature", not self._official):
            body["temperature"] = temperature
        if request.seed is not None and options.get("supports_seed", self._official):
            body["seed"] = request.seed
        return {name: value for name, value in body.items() if name not in left_out} | dict(
            options.get("extra_body", {})
        )

    def _read(self, reply: Reply) -> LLMResponse:
        choices = reply.data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        message = choice.get("message")
        if not isinstance(message, dict):
            raise BadReply("openai answered without a choice", raw=str(reply.data), latency_ms=reply.latency_ms)
        refusal = refusal_words(message)
        usage = _usage(reply.data.get("usage"))
        model = str(reply.data.get("model") or self.spec.model)
        header_cost = _header_cost(reply.headers)
        return LLMResponse(
            text=refusal or content_words(message.get("content"), between=""),
            finish=Finish.REFUSAL if refusal else finish_of(choice.get("finish_reason"), _FINISH),
            provider=self.spec.label,
            model=model,
            usage=usage,
            cost_usd=header_cost if header_cost is not None else call_cost(self.spec, usage, model=model),
            latency_ms=reply.latency_ms,
            request_id=reply.request_id or str(reply.data.get("id") or "") or None,
            tool_calls=numbered(calls_in(message)),
            left_out=tuple(sorted(reply.left_out)),
        )


def _usage(reported: Any) -> Usage:
    return Usage(
        input_tokens=count(reported, "prompt_tokens"),
        cached_tokens=count(reported, "prompt_tokens_details", "cached_tokens"),
        output_tokens=count(reported, "completion_tokens"),
        reasoning_tokens=count(reported, "completion_tokens_details", "reasoning_tokens"),
    )


def _header_cost(headers: Mapping[str, str]) -> Decimal | None:
    """A LiteLLM proxy knows the price it was charged better than any table."""
    try:
        cost = Decimal(headers.get("x-litellm-response-cost", ""))
    except InvalidOperation:
        return None
    return cost if cost.is_finite() and cost >= 0 else None
