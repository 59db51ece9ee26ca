"""Traces of the agent's replies, by the decorators of Langfuse's SDK.

The SDK's own variables say where they go: `LANGFUSE_BASE_URL`, `LANGFUSE_PUBLIC_KEY` and `LANGFUSE_SECRET_KEY` name a
Langfuse, `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_EXPORTER_OTLP_HEADERS` any other receiver of OTLP. Without an address
nothing is loaded and nothing is sent, though the SDK itself would take its maker's cloud.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from examples.booking_agent.memory import Answer, Tool

Reply = Callable[[str, str], Answer]  # of the id of a conversation and the customer's words


def traced(reply: Reply) -> Reply:
    """`reply`, with a generation for each answer and a span for each tool call in it."""
    elsewhere = bool(os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"))
    if not elsewhere and not (os.environ.get("LANGFUSE_BASE_URL") and os.environ.get("LANGFUSE_PUBLIC_KEY")):
        return reply
    from langfuse import Langfuse, observe, propagate_attributes  # noqa: PLC0415 - loads for a second

    if elsewhere:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415

        # The client wants keys, also where its exporter has an address and headers of its own.
        Langfuse(public_key="elsewhere", secret_key="elsewhere", span_exporter=OTLPSpanExporter())  # noqa: S106
    answers: dict[str, Answer] = {}

    @observe(name="reply", as_type="generation")
    def answered(messages: list[dict[str, str]], *, conversation: str) -> list[dict[str, Any]]:
        answers[conversation] = answer = reply(conversation, messages[-1]["content"])
        for tool in answer.tools:
            observe(name=tool.name, as_type="tool")(_result_of(tool))(**tool.arguments)
        return _messages(answer)

    def traced_reply(conversation: str, words: str) -> Answer:
        with propagate_attributes(session_id=conversation):
            answered([{"role": "user", "content": words}], conversation=conversation)
        return answers.pop(conversation)

    return traced_reply


def send_traces() -> None:
    """Send what was traced and has not gone yet: spans are collected for some seconds."""
    if "langfuse" in sys.modules:
        from langfuse import get_client  # noqa: PLC0415

        get_client().flush()


def _result_of(tool: Tool) -> Callable[..., dict[str, Any]]:
    return lambda **arguments: dict(tool.result)


def _messages(answer: Answer) -> list[dict[str, Any]]:
    """What the agent added to the conversation, in OpenAI's form."""
    calls = [
        {"id": tool.id, "type": "function", "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}}
        for tool in answer.tools
    ]
    results = [
        {"role": "tool", "tool_call_id": tool.id, "content": json.dumps(dict(tool.result))} for tool in answer.tools
    ]
    asked = [{"role": "assistant", "content": "", "tool_calls": calls}] if calls else []
    return [*asked, *results, {"role": "assistant", "content": answer.text}]
