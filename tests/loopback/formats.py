"""The true wire formats of the model providers: answers, errors and headers, as their documentation has them."""

import json
from typing import Any

from tests.loopback.http_server import Answer

KINDS = ("anthropic", "openai", "google", "vertex")

ANTHROPIC_ERRORS = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error",
    529: "overloaded_error",
}  # fmt: skip
GOOGLE_STATUS = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip
OPENAI_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
FINISH = {
    "stop": ("end_turn", "stop", "STOP"),
    "length": ("max_tokens", "length", "MAX_TOKENS"),
    "refusal": ("refusal", "stop", "SAFETY"),
    "blocked": ("refusal", "content_filter", "SAFETY"),
    "error": ("who_knows", "who_knows", "MALFORMED_FUNCTION_CALL"),
}


def kind_of(path: str) -> str | None:
    """Which provider's door a request knocked at."""
    if path.endswith("/v1/messages"):
        return "anthropic"
    if path.endswith("/chat/completions"):
        return "openai"
    if path.endswith(":generateContent"):
        return "vertex" if "/projects/" in path else "google"
    return None


def answer(kind: str, text: str, *, model: str, finish: str = "stop", tokens: tuple[int, int] = (1200, 300)) -> Answer:
    """A 200 with `text`. `tokens` is input and output; 200 of the input are cached, 20 of the output reasoning."""
    body = {"anthropic": _anthropic, "openai": _openai}.get(kind, _google)(text, model, finish, tokens)
    return Answer(body=json.dumps(body, ensure_ascii=False).encode(), headers=_ids(kind))


def tool_answer(kind: str, *calls: tuple[str, dict[str, Any]], model: str, text: str = "") -> Answer:
    """A 200 that asks for these calls (name, arguments)."""
    if kind == "anthropic":
        body = _anthropic(text, model, "stop", (1200, 300))
        uses = [
            {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": arguments}
            for n, (name, arguments) in enumerate(calls)
        ]
        body |= {"stop_reason": "tool_use", "content": ([{"type": "text", "text": text}] if text else []) + uses}
    elif kind == "openai":
        body = _openai(text, model, "stop", (1200, 300))
        functions = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": text or None, "refusal": None, "tool_calls": functions}
        body["choices"][0] |= {"message": message, "finish_reason": "tool_calls"}
    else:
        body = _google(text, model, "stop", (1200, 300))
        parts = [
            {"functionCall": {"name": name, "args": arguments}, "thoughtSignature": f"sig{n}"}
            for n, (name, arguments) in enumerate(calls)
        ]
        body["candidates"][0]["content"]["parts"] = ([{"text": text}] if text else []) + parts
    return Answer(body=json.dumps(body, ensure_ascii=False).encode(), headers=_ids(kind))


def error(
    kind: str,
    status: int,
    message: str = "as asked",
    *,
    code: str | None = None,
    headers: dict[str, str] | None = None,
    details: list[dict[str, Any]] | None = None,
) -> Answer:
    """An error answer in the provider's own shape."""
    body: Any
    told: dict[str, Any]
    if kind == "anthropic":
        told = {"type": ANTHROPIC_ERRORS.get(status, "api_error"), "message": message}
        told |= {"code": code} if code else {}
        body = {"type": "error", "error": told, "request_id": "req_1"}
    elif kind == "openai":
        code = code or OPENAI_CODES.get(status)
        body = {"error": {"message": message, "type": code or "server_error", "param": None, "code": code}}
    else:
        told = {"code": status, "message": message, "status": GOOGLE_STATUS.get(status, "UNKNOWN")}
        body = {"error": told | ({"details": details} if details else {})}
    return Answer(status=status, body=json.dumps(body).encode(), headers=_ids(kind) | (headers or {}))


def blocked_prompt(model: str) -> Answer:
    """Google refuses a prompt with 200 and no candidate."""
    body = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 1200, "totalTokenCount": 1200},
        "modelVersion": model,
    }
    return Answer(body=json.dumps(body).encode())


def _ids(kind: str) -> dict[str, str]:
    return {"anthropic": {"request-id": "req_1"}, "openai": {"x-request-id": "req_1"}}.get(kind, {})


def _anthropic(text: str, model: str, finish: str, tokens: tuple[int, int]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": FINISH[finish][0],
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens[0] - 200,
            "output_tokens": tokens[1],
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 200,
        },
    }


def _openai(text: str, model: str, finish: str, tokens: tuple[int, int]) -> dict[str, Any]:
    refusal = text if finish == "refusal" else None
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1795176000,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": None if refusal else text, "refusal": refusal},
                "finish_reason": FINISH[finish][1],
            }
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
            "prompt_tokens_details": {"cached_tokens": 200},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        "system_fingerprint": "fp_1",
    }


def _google(text: str, model: str, finish: str, tokens: tuple[int, int]) -> dict[str, Any]:
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": text}]},
                "finishReason": FINISH[finish][2],
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": tokens[0],
            "cachedContentTokenCount": 200,
            "candidatesTokenCount": tokens[1] - 20,
            "thoughtsTokenCount": 20,
            "totalTokenCount": sum(tokens),
        },
        "modelVersion": model,
        "responseId": "resp_1",
    }
