"""Calls of models as each instrumentation writes them: the same two messages come out."""

import json
from typing import Any

import pytest

from apps.production.traces.domain.spans import read_span

PICTURE = {"type": "image_url", "image_url": {"url": "https://shop.example/y.png"}}
ASKED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Free on Friday?"}]},
]
ANSWER = {"role": "assistant", "content": "At ten."}

SPANS: dict[str, dict[str, Any]] = {
    "genai": {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(ASKED),
        "gen_ai.output.messages": json.dumps([{**ANSWER, "content": [{"type": "output_text", "text": "At ten."}]}]),
    },
    "genai_parts": {
        "gen_ai.operation.name": "chat",
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}]),
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"content": "Free on Friday?"}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"content": "At ten."}]}]),
    },
    "openinference": {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": "Be brief.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.contents.0.message_content.type": "text",
        "llm.input_messages.1.message.contents.0.message_content.text": "Free on Friday?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "At ten.",
    },
    "traceloop": {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "Be brief.",
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": json.dumps(ASKED[1]["content"]),
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "At ten.",
    },
    "vercel": {
        "ai.operationId": "ai.streamText.doStream",
        "ai.prompt.messages": json.dumps(ASKED),
        "ai.response.text": "At ten.",
    },
    "langfuse": {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json.dumps({"messages": ASKED}),
        "langfuse.observation.output": json.dumps(ANSWER),
    },
    "adk": {
        "gcp.vertex.agent.llm_request": json.dumps({
            "config": {"system_instruction": "Be brief."},
            "contents": [{"role": "user", "parts": [{"text": "Free on Friday?"}]}],
        }),
        "gcp.vertex.agent.llm_response": json.dumps({"content": {"role": "model", "parts": [{"text": "At ten."}]}}),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SPANS)
def test_the_same_call_reads_the_same_whoever_wrote_the_span(name: str) -> None:
    reading = read_span(SPANS[name])
    assert (reading.is_call, reading.system) == (True, "Be brief.")
    assert [(one.role, one.text) for one in reading.given] == [("user", "Free on Friday?")]
    assert [(one.role, one.text) for one in reading.answered] == [("assistant", "At ten.")]


@pytest.mark.parametrize(
    "given",
    [
        {"args": [[{"role": "user", "content": "Free on Friday?"}]], "kwargs": {"conversation": "c-1"}},
        {"args": [{"turns": 3}], "kwargs": {"history": [{"role": "user", "content": "Free on Friday?"}], "top_p": 1}},
        {"args": ["Free on Friday?"], "kwargs": {"temperature": 0}},
        {"args": [], "kwargs": {"question": "Free on Friday?", "model": "m"}},
    ],
)
def test_the_settings_of_a_decorated_function_are_no_words_of_a_customer(given: dict[str, Any]) -> None:
    reading = read_span({"langfuse.observation.type": "generation", "langfuse.observation.input": json.dumps(given)})
    assert [(one.role, one.text) for one in reading.given] == [("user", "Free on Friday?")]


def test_a_picture_is_told_and_no_notation_of_a_programming_language_is_a_customers_word() -> None:
    given = json.dumps([{"role": "user", "content": [{"type": "text", "text": "Like this"}, PICTURE]}])
    reading = read_span({"gen_ai.operation.name": "chat", "gen_ai.input.messages": given})
    assert reading.given[0].text == "Like this\n[image]"


CALLED = {"toolCallId": "a", "toolName": "f"}
TOOLS: dict[str, dict[str, Any]] = {
    "vercel": {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": json.dumps([
            {"role": "user", "content": [{"type": "text", "text": "Free?"}]},
            {"role": "assistant", "content": [{"type": "tool-call", **CALLED, "args": {"x": 1}}]},
            {"role": "tool", "content": [{"type": "tool-result", **CALLED, "result": "no"}]},
        ]),
        "ai.response.toolCalls": json.dumps([{"toolCallId": "b", "toolName": "g", "args": '{"y": 2}'}]),
    },
    "traceloop": {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Free?",
        "gen_ai.prompt.1.role": "assistant", "gen_ai.prompt.1.tool_calls.0.name": "f",
        "gen_ai.prompt.1.tool_calls.0.arguments": '{"x": 1}', "gen_ai.prompt.1.tool_calls.0.id": "a",
        "gen_ai.prompt.2.role": "tool", "gen_ai.prompt.2.content": "no", "gen_ai.prompt.2.tool_call_id": "a",
        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.tool_calls.0.name": "g",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"y": 2}',
    },
}  # fmt: skip


@pytest.mark.parametrize("name", TOOLS)
def test_tools_and_their_results_are_read(name: str) -> None:
    reading = read_span(TOOLS[name])
    assert [one.role for one in reading.given] == ["user", "assistant", "tool"]
    assert reading.given[1].calls == (("a", "f", {"x": 1}),)
    assert (reading.given[2].text, reading.given[2].answers) == ("no", "a")
    assert reading.answered[0].calls[0][1:] == ("g", {"y": 2})


@pytest.mark.parametrize(
    "name", ["langfuse.session.id", "ai.telemetry.metadata.sessionId", "gcp.vertex.agent.session_id"]
)
def test_the_conversation_is_named_in_each_conventions_own_way(name: str) -> None:
    assert read_span({name: "talk-7"}).conversation == "talk-7"


def test_a_span_around_calls_is_no_call() -> None:
    for attributes in ({"ai.operationId": "ai.generateText"}, {"langfuse.observation.type": "span"},
                       {"openinference.span.kind": "CHAIN", "gen_ai.operation.name": "chat"}):  # fmt: skip
        assert not read_span(attributes).is_call
