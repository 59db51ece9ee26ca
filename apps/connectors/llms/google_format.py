"""The parts that Gemini by key and Gemini on Vertex share: the generateContent body and its answer.

Options: `supports_json_schema` (default True), `supports_temperature` (default False), `supports_seed` (default True),
`thinking_budget` (tokens; 0 switches thinking off where the model can), `extra_body`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from apps.connectors.errors import BadReply
from apps.connectors.llms.base import Finish, LLMRequest, LLMResponse, ModelSpec, finish_of
from apps.connectors.llms.google_tools import google_calls, google_contents, google_tools
from apps.connectors.llms.http_json import Reply
from apps.connectors.llms.pricing import call_cost
from apps.connectors.llms.refused_parameters import LeftOut
from apps.connectors.llms.schemas import schema_in_words
from apps.connectors.llms.tokens import count
from apps.core.usage import Usage

_FINISH: Mapping[str, Finish] = MappingProxyType(
    {
        "STOP": Finish.STOP,
        "MAX_TOKENS": Finish.LENGTH,
    }
)


def google_body(request: LLMRequest, options: Mapping[str, Any], left_out: LeftOut = frozenset()) -> dict[str, Any]:
    """The body of one generateContent call."""
    config: dict[str, Any] = {"maxOutputTokens": request.max_output_tokens}
    system = request.system
    if request.schema is not None:
        config["responseMimeType"] = "application/json"
        if options.get("supports_json_schema", True) and "json_schema" not in left_out:
            config["responseJsonSchema"] = dict(request.schema)
        else:
            system = f"{system}\n\n{schema_in_words(request.schema)}".strip()
    if "thinking_budget" in options:
        config["thinkingConfig"] = {"thinkingBudget": options["thinking_budget"]}
    if request.temperature is not None and options.get("supports_temperature", False):
        config["temperature"] = request.temperature
    if request.seed is not None and options.get("supports_seed", True):
        config["seed"] = request.seed % 2**31  # an int32 there
    config = {name: value for name, value in config.items() if name not in left_out}
    body: dict[str, Any] = {
        "contents": google_contents(request.messages),
        "generationConfig": config,
        **google_tools(request.tools),
    }
    if system:
        body["systemInstruction"] = {"parts": [{"text": system}]}
    return body | dict(options.get("extra_body", {}))


def google_response(reply: Reply, spec: ModelSpec) -> LLMResponse:
    """The answer of one generateContent call. A blocked prompt is 200 without candidates: a result, BLOCKED."""
    candidates = reply.data.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    candidate = first if isinstance(first, dict) else None
    feedback = reply.data.get("promptFeedback")
    blocked = isinstance(feedback, dict) and feedback.get("blockReason")
    if candidate is None and not blocked:
        raise BadReply(f"{spec.label} answered without a candidate", raw=str(reply.data), latency_ms=reply.latency_ms)
    usage = _usage(reply.data.get("usageMetadata"))
    model = str(reply.data.get("modelVersion") or spec.model)
    return LLMResponse(
        text=_text(candidate),
        finish=Finish.BLOCKED if blocked else finish_of((candidate or {}).get("finishReason"), _FINISH),
        provider=spec.label,
        model=model,
        usage=usage,
        cost_usd=call_cost(spec, usage, model=model),
        latency_ms=reply.latency_ms,
        request_id=reply.request_id or str(reply.data.get("responseId") or "") or None,
        tool_calls=google_calls(_parts(candidate)),
        left_out=tuple(sorted(reply.left_out)),
    )


def _parts(candidate: Any) -> list[Any]:
    content = candidate.get("content") if candidate else None
    parts = content.get("parts") if isinstance(content, dict) else None
    return parts if isinstance(parts, list) else []


def _text(candidate: Any) -> str:
    parts = _parts(candidate)
    shown = [part for part in parts if isinstance(part, dict) and not part.get("thought")]
    return "".join(part["text"] for part in shown if isinstance(part.get("text"), str))


def _usage(reported: Any) -> Usage:
    """Google bills thoughts as output and counts the cached part within the prompt."""
    thoughts = count(reported, "thoughtsTokenCount")
    return Usage(
        input_tokens=count(reported, "promptTokenCount"),
        cached_tokens=count(reported, "cachedContentTokenCount"),
        output_tokens=count(reported, "candidatesTokenCount") + thoughts,
        reasoning_tokens=thoughts,
    )
