"""Tokens of a model's reply, whichever of the four wire formats it has, plain or streamed."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

_PLACES = ("usage", "usageMetadata")
_INPUT = ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_eval_count")
_OUTPUT = ("completion_tokens", "output_tokens", "candidatesTokenCount", "eval_count")
_CACHED = ("cache_read_input_tokens", "cachedContentTokenCount")


def tokens_of(body: bytes) -> dict[str, int] | None:
    """`{"input", "output", "cached"?}`, or None where the reply names none. Numbers as the provider counts them."""
    found: dict[str, int] = {}
    for document in _documents(body):
        for usage in _usages(document):
            for name, keys in (("input", _INPUT), ("output", _OUTPUT), ("cached", _CACHED)):
                for key in keys:
                    if isinstance(usage.get(key), int):
                        found[name] = usage[key]
            details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
            if isinstance(details, Mapping) and isinstance(details.get("cached_tokens"), int):
                found["cached"] = details["cached_tokens"]
    return found or None


def _usages(document: Any) -> Iterator[Mapping[str, Any]]:
    """The document itself (Ollama); also inside `message` (the first event of an Anthropic stream) and
    `response` (OpenAI's Responses)."""
    if isinstance(document, list):
        for item in document:
            yield from _usages(item)
    if not isinstance(document, Mapping):
        return
    if "eval_count" in document:
        yield document
    for holder in (document, document.get("message"), document.get("response")):
        if isinstance(holder, Mapping):
            for place in _PLACES:
                if isinstance(holder.get(place), Mapping):
                    yield holder[place]


def _documents(body: bytes) -> Iterator[Any]:
    text = body.decode("utf-8", "replace")
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:")] or [text]
    if len(lines) == 1 and "\n" in text.strip():
        lines = [text, *text.splitlines()]  # one document over several lines, or a document on each (Ollama)
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue
