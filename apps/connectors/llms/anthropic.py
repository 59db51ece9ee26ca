"""Anthropic Messages.

Options: `api_version` (header, default 2023-06-01), `supports_json_schema` (default True), `supports_temperature`
(default False: new versions and models answer 400 to it, whatever its value), `cache_system` (default False: mark the
system prompt for caching), `effort` (output_config.effort), `extra_body`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import httpx

from apps.connectors.errors import BadReply
from apps.connectors.llms.anthropic_tools import anthropic_messages, anthropic_tools
from apps.connectors.llms.base import Finish, LLMRequest, LLMResponse, ModelSpec, finish_of
from apps.connectors.llms.endpoint import endpoint
from apps.connectors.llms.http_json import Reply, post_json
from apps.connectors.llms.pricing import call_cost
from apps.connectors.llms.refused_parameters import LeftOut
from apps.connectors.llms.schemas import schema_in_words, strict_schema
from apps.connectors.llms.tokens import count
from apps.connectors.llms.tool_reading import calls_of_parts
from apps.core.usage import Usage

OFFICIAL_BASE_URL = "https://api.anthropic.com"
_FINISH: Mapping[str, Finish] = MappingProxyType(
    {
        "end_turn": Finish.STOP,
        "stop_sequence": Finish.STOP,
        "max_tokens": Finish.LENGTH,
        "model_context_window_exceeded": Finish.CONTEXT,
        "tool_use": Finish.TOOL,
        "pause_turn": Finish.TOOL,
    }
)


class Anthropic:
    """A Claude model by key."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self._url = endpoint(spec.base_url or OFFICIAL_BASE_URL, "/v1/messages")
        self._headers = {
            "content-type": "application/json",
            "anthropic-version": str(spec.options.get("api_version", "2023-06-01")),
            **({"x-api-key": spec.api_key} if spec.api_key else {}),
        }

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
        output: dict[str, Any] = {"effort": options["effort"]} if "effort" in options else {}
        system = request.system
        if request.schema is not None:
            if options.get("supports_json_schema", True) and "json_schema" not in left_out:
                output["format"] = {"type": "json_schema", "schema": strict_schema(request.schema)}
            else:
                system = f"{system}\n\n{schema_in_words(request.schema)}".strip()
        body: dict[str, Any] = {
            "model": self.spec.model,
            "max_tokens": request.max_output_tokens,
            "messages": anthropic_messages(request.messages),
            **anthropic_tools(request.tools),
        }
        if system:
            block = {"type": "text", "text": system}
            cached = options.get("cache_system", False)
            body["system"] = [{**block, "cache_control": {"type": "ephemeral"}} if cached else block]
        if output:
            body["output_config"] = output
        takes_temperature = options.get("supports_temperature", False) and "temperature" not in left_out
        if request.temperature is not None and takes_temperature:
            body["temperature"] = request.temperature
        return body | dict(options.get("extra_body", {}))

    def _read(self, reply: Reply) -> LLMResponse:
        content = reply.data.get("content")
        if not isinstance(content, list):
            raise BadReply("anthropic answered without content", raw=str(reply.data), latency_ms=reply.latency_ms)
        texts = [b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str)]
        usage = _usage(reply.data.get("usage"))
        model = str(reply.data.get("model") or self.spec.model)
        return LLMResponse(
            text="".join(texts),
            finish=finish_of(reply.data.get("stop_reason"), _FINISH),
            provider=self.spec.label,
            model=model,
            usage=usage,
            cost_usd=call_cost(self.spec, usage, model=model),
            latency_ms=reply.latency_ms,
            request_id=reply.request_id,
            tool_calls=calls_of_parts(content),
            left_out=tuple(sorted(reply.left_out)),
        )


def _usage(reported: Any) -> Usage:
    """Anthropic's input_tokens leaves the cached parts out; ours has them in."""
    read, written = count(reported, "cache_read_input_tokens"), count(reported, "cache_creation_input_tokens")
    return Usage(
        input_tokens=count(reported, "input_tokens") + read + written,
        cached_tokens=read,
        cache_write_tokens=written,
        output_tokens=count(reported, "output_tokens"),
    )
