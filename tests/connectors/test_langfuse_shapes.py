"""A conversation comes whole out of a Langfuse in the shapes in which agents are commonly logged."""

import json
from typing import Any

import pytest

from apps.connectors.tracing.langfuse.turns import read_observations

ASKED, SAID = "Book braids for two", "Booked: braids for two."
ARGUMENTS = {"service": "braids", "guests": 2}
USER = {"role": "user", "content": ASKED}
OPENAI_CALL = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": json.dumps(ARGUMENTS)}}


def seen(kind: str, at: int, *, parent: str = "", name: str = "x", **io: Any) -> dict[str, Any]:
    fields = {key: value if isinstance(value, str) else json.dumps(value) for key, value in io.items()}
    return {
        "id": f"o{at}", "traceId": "t", "type": kind, "name": name, "parentObservationId": parent or None,
        "startTime": f"2026-05-05T09:00:{at:02d}Z", "endTime": f"2026-05-05T09:00:{at + 1:02d}Z", **fields,
    }  # fmt: skip


def tool(at: int, kind: str = "TOOL", **more: Any) -> dict[str, Any]:
    return seen(kind, at, name=more.pop("name", "book"), input=ARGUMENTS, output={"ok": True}, **more)


def generation(at: int, output: Any = SAID, asked: Any = None, **more: Any) -> dict[str, Any]:
    return seen("GENERATION", at, input=asked or [USER], output=output, **more)


SHAPES = {
    "a root span with children": [
        seen("SPAN", 0, input=ASKED, output=SAID), tool(1, parent="o0"), generation(2, parent="o0")
    ],
    "flat, a tool behind the generation": [generation(0), tool(1)],
    "flat, a moderation span at the end": [
        generation(0), tool(1), seen("SPAN", 2, name="moderation", output={"flagged": False})
    ],
    "generation, tool, generation": [
        generation(0, {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]}), tool(1), generation(2)
    ],
    "choices": [generation(0, {"choices": [{"message": {"role": "assistant", "content": SAID}}]}), tool(1)],
    "Gemini": [
        generation(
            0,
            {"candidates": [{"content": {"role": "model", "parts": [
                {"functionCall": {"name": "book", "args": ARGUMENTS}}, {"text": SAID},
            ]}}]},
            {"contents": [{"role": "user", "parts": [{"text": ASKED}]}]},
        )
    ],
    "a decorated function": [
        seen("SPAN", 0, input={"args": [ASKED], "kwargs": {}}, output=SAID), tool(1, parent="o0")
    ],
    "a tool logged as a span": [
        seen("SPAN", 0, input={"message": ASKED}, output={"reply": SAID}),
        generation(1, parent="o0", asked={"messages": [USER], "tools": [{"function": {"name": "book"}}]}),
        tool(2, "SPAN", parent="o0"),
    ],
    "a span that is named a tool": [
        seen("SPAN", 0, input=ASKED, output=SAID), tool(1, "SPAN", parent="o0", name="tool: book")
    ],
    "calls in the output alone": [
        generation(0, {"role": "assistant", "tool_calls": [OPENAI_CALL]}), generation(1)
    ],
    "Anthropic's blocks": [
        generation(0, {"role": "assistant", "content": [
            {"type": "text", "text": SAID}, {"type": "tool_use", "id": "c1", "name": "book", "input": ARGUMENTS},
        ]})
    ],
    "an agent's root": [
        seen("AGENT", 0, input={"messages": [USER]}, output={"messages": [USER, {"type": "ai", "content": SAID}]}),
        tool(1, parent="o0"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("shape", list(SHAPES))
def test_a_conversation_comes_whole_out_of_a_langfuse(shape: str) -> None:
    user, reply = read_observations(SHAPES[shape])
    assert (user.role, user.content) == ("user", ASKED)
    assert (reply.role, reply.content) == ("assistant", SAID)
    assert [(call.name, dict(call.arguments)) for call in reply.tool_calls] == [("book", ARGUMENTS)]
