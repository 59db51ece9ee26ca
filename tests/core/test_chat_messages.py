"""Chat messages in the shapes of the world: one reader says who speaks and what."""

from typing import Any

import pytest

from apps.core.chat_messages import chat_turns
from apps.core.chat_parts import content_words, tool_call
from apps.core.conversation import TurnRole
from apps.core.document_parsing import parse_document

VERCEL = {"toolCallId": "q", "toolName": "f"}
PICTURE = {"type": "image_url", "image_url": {"url": "https://shop.example/cut.png"}}


def read(message: Any, otherwise: TurnRole | None = None) -> list[tuple[Any, ...]]:
    return [
        (turn.role.value, turn.text, [(call.name, dict(call.arguments)) for call in turn.calls], turn.answers)
        for turn in chat_turns(message, otherwise=otherwise)
    ]


@pytest.mark.parametrize(
    "message, turns",
    [
        ({"role": "user", "content": "Hi"}, [("user", "Hi", [], "")]),
        ({"role": "assistant", "content": None, "refusal": "Not that."}, [("assistant", "Not that.", [], "")]),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, [("assistant", "No.", [], "")]),
        (
            {"role": "assistant", "content": [{"type": "output_text", "text": "At "}, {"text": "ten."}]},
            [("assistant", "At ten.", [], "")],
        ),
        ({"role": "user", "content": [{"type": "text", "text": "Like this"}, PICTURE]},
         [("user", "Like this\n[image]", [], "")]),
        ({"role": "user", "content": [{"type": "file", "file": {"filename": "bill.pdf", "file_data": "AA"}}]},
         [("user", "[file bill.pdf]", [], "")]),
        ({"role": "assistant", "content": None, "function_call": {"name": "slots", "arguments": '{"day": 5}'}},
         [("assistant", "", [("slots", {"day": 5})], "")]),
        ({"role": "function", "name": "slots", "content": "none"}, [("tool", "none", [], "")]),
        ({"role": "tool", "tool_call_id": 9, "content": [{"type": "text", "text": "10:00"}]},
         [("tool", "10:00", [], "9")]),
        ({"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "book", "arguments": '{"day": fri'}}]},
         [("assistant", "", [("book", {"raw": '{"day": fri'})], "")]),
        # Anthropic
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Wait."},
                                           {"type": "tool_use", "id": "t", "name": "book", "input": {"day": 1}}]},
         [("assistant", "Wait.", [("book", {"day": 1})], "")]),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text",
                                       "text": "done"}]}, {"type": "text", "text": "And?"}]},
         [("tool", "done", [], "t"), ("user", "And?", [], "")]),
        # Gemini
        ({"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "Which day?"},
                                     {"functionCall": {"name": "slots", "args": {"d": 2}}}]},
         [("assistant", "Which day?", [("slots", {"d": 2})], "")]),
        ({"role": "user", "parts": [{"functionResponse": {"name": "slots", "response": {"free": 3}}}]},
         [("tool", '{"free": 3}', [], "")]),
        # OpenTelemetry
        ({"role": "assistant", "parts": [{"type": "text", "content": "Ok"}, {"type": "tool_call", "id": "1",
                                         "name": "f", "arguments": {"x": 1}}]},
         [("assistant", "Ok", [("f", {"x": 1})], "")]),
        ({"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "yes"}]},
         [("tool", "yes", [], "1")]),
        # LangChain
        ({"type": "human", "content": "Hi"}, [("user", "Hi", [], "")]),
        ({"type": "ai", "data": {"content": "Yes?", "tool_calls": []}}, [("assistant", "Yes?", [], "")]),
        ({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessageChunk"],
          "kwargs": {"content": "", "tool_calls": [{"name": "f", "args": {"x": 1}, "id": "a", "type": "tool_call"}],
                     "type": "ai"}}, [("assistant", "", [("f", {"x": 1})], "")]),
        ({"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [{"id": "a", "function": {"name": "g",
                                                                             "arguments": "{}"}}]}},
         [("assistant", "", [("g", {})], "")]),
        # Vercel's AI SDK
        ({"role": "assistant", "content": [{"type": "tool-call", **VERCEL, "input": {"x": 1}}]},
         [("assistant", "", [("f", {"x": 1})], "")]),
        ({"role": "tool", "content": [{"type": "tool-result", **VERCEL, "output": {"type": "json", "value": 2}}]},
         [("tool", "2", [], "q")]),
        ({"role": "assistant", "parts": [{"type": "step-start"}, {"type": "tool-f", "toolCallId": "q",
                                         "input": {"x": 1}, "output": "two"}, {"type": "text", "text": "Two."}]},
         [("tool", "two", [], "q"), ("assistant", "Two.", [("f", {"x": 1})], "")]),
        # ShareGPT, and OpenAI's Responses
        ({"from": "gpt", "value": "Hello"}, [("assistant", "Hello", [], "")]),
        ({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
         [("assistant", "Hi", [], "")]),
        ({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"},
         [("assistant", "", [("f", {})], "")]),
        ({"type": "function_call_output", "call_id": "c1", "output": "ok"}, [("tool", "ok", [], "c1")]),
        ("Hi", []), (7, []), ({}, []), ({"role": 3}, []), ({"role": "narrator", "content": "x"}, []),
    ],
)  # fmt: skip
def test_a_message_is_read_whoever_wrote_it(message: Any, turns: list[tuple[Any, ...]]) -> None:
    assert read(message) == turns


def test_a_message_without_a_role_has_the_one_that_is_meant() -> None:
    assert read({"content": "Hi"}, TurnRole.USER) == [("user", "Hi", [], "")]
    assert read("Hi", TurnRole.ASSISTANT) == [("assistant", "Hi", [], "")]


@pytest.mark.parametrize(
    "texts, words",
    [(["Hello.", "How are you?"], "Hello.\nHow are you?"), (["a ", "b"], "a b"), (["a", "\nb"], "a\nb"), ([], "")],
)
def test_parts_are_joined_by_a_line_unless_a_blank_is_there(texts: list[str], words: str) -> None:
    assert content_words([{"type": "text", "text": text} for text in texts]) == words


def test_parts_of_one_text_are_joined_without_a_break() -> None:
    assert content_words([{"text": '{"a":'}, {"text": "1}"}], between="") == '{"a":1}'


def test_a_call_without_a_name_is_none() -> None:
    assert tool_call({"function": {"arguments": "{}"}}) is None
    assert tool_call({"name": " "}) is None


def test_openai_messages_work_as_they_are() -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Like this?"}, PICTURE]},
        {"role": "assistant", "content": None, "function_call": {"name": "book", "arguments": "{day: 5}"}},
        {"role": "function", "name": "book", "content": "no"},
        {"role": "assistant", "content": None, "refusal": "I cannot book that."},
    ]
    got = parse_document({"id": 12, "messages": messages})
    assert got.id == "12"
    assert [(turn.role.value, turn.content) for turn in got.turns] == [
        ("user", "Like this?\n[image]"), ("assistant", ""), ("tool", "no"), ("assistant", "I cannot book that."),
    ]  # fmt: skip
    assert got.turns[0].extra == {"left_out": ["image"]}
    assert got.turns[1].tool_calls[0].arguments == {"raw": "{day: 5}"}
    assert got.turns[2].name == "book"


def test_one_message_of_anthropics_may_be_two_turns_and_a_fault_names_its_message() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    got = parse_document(
        {"id": "a", "messages": [{"role": "user", "content": [result, {"type": "text", "text": "So?"}]}]}
    )
    assert [(turn.role.value, turn.tool_call_id) for turn in got.turns] == [("tool", "t"), ("user", None)]
    with pytest.raises(Exception, match="/messages/1/role"):
        parse_document(
            {"id": "a", "messages": [{"role": "user", "content": [result]}, {"role": "narrator", "content": ""}]}
        )
