"""Turns once each, from what real instrumentations send: whole histories, routers, tools, in any order."""

import dataclasses
import gzip
import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from apps.connectors.tracing.otlp.reading import PROTOBUF, read_spans
from apps.connectors.tracing.otlp.received_span import ReceivedSpan
from apps.production.traces.domain.spans import SpanReading, TracedMessage, read_span
from apps.production.traces.domain.turns import TracedCall, turns_of

FILES = Path(__file__).parents[1] / "otlp"
SAID = [
    ("user", "Habari, braids please"), ("assistant", "Karibu! Which day?"),
    ("user", "Friday at ten, my number is 0712 345 678"), ("assistant", ""), ("tool", '{"free": ["10:00"]}'),
    ("assistant", "Friday at ten is free."), ("user", "Yes, for Wanjiku Kamau"), ("assistant", "Booked, Wanjiku."),
]  # fmt: skip


def sent(name: str) -> list[ReceivedSpan]:
    """What the real exporter posted: openinference-instrumentation-openai 0.1.66, genai-openai 1.3b0."""
    return read_spans(gzip.decompress((FILES / f"{name}.binpb.gz").read_bytes()), media=PROTOBUF)


def call(span: ReceivedSpan, read: SpanReading) -> TracedCall:
    return TracedCall(
        span_id=span.span_id, started_ns=span.started_ns, ended_ns=span.ended_ns, system=read.system,
        given=read.given, answered=read.answered,
    )  # fmt: skip


def calls(name: str) -> list[TracedCall]:
    found = [(span, read_span(span.attributes)) for span in sent(name)]
    return [call(span, read) for span, read in found if read.is_call]


def words(turns: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(turn["role"], turn["content"]) for turn in turns]


@pytest.mark.parametrize("name", ["openinference", "genai"])
def test_three_turns_with_a_tool_and_a_router_come_out_once_each(name: str) -> None:
    turns = turns_of(calls(name))
    assert words(turns) == SAID
    assert turns[3]["tool_calls"] == [{"id": "call_1", "name": "find_slot", "arguments": {"day": "Friday"}}]
    assert turns[4]["tool_call_id"] == "call_1"
    assert turns[0]["ts"] < turns[1]["ts"] < turns[-1]["ts"]


@pytest.mark.parametrize("name", ["openinference", "genai"])
def test_the_order_in_which_spans_come_does_not_matter(name: str) -> None:
    held = calls(name)
    for seed in range(20):
        shuffled = random.Random(seed).sample(held, len(held))
        assert turns_of(shuffled) == turns_of(held)


def test_spans_whose_content_is_not_captured_hold_no_text() -> None:
    found = [read_span(span.attributes) for span in sent("genai_off")]
    assert [one.has_text for one in found if one.is_call] == [False] * 7


def said(*texts: str) -> tuple[TracedMessage, ...]:
    return tuple(TracedMessage(role=("user", "assistant")[n % 2], text=one) for n, one in enumerate(texts))


_clock = itertools.count(1_795_176_000_000_000_000, 10**9)


def spoken(system: str, *texts: str) -> TracedCall:
    at = next(_clock)
    return TracedCall(
        span_id=f"{at:x}", started_ns=at, ended_ns=at + 10**8, system=system, given=said(*texts[:-1]),
        answered=(TracedMessage(role="assistant", text=texts[-1]),),
    )  # fmt: skip


def test_forty_turns_with_a_router_before_each_are_all_there_in_order() -> None:
    history: list[str] = []
    held = []
    for n in range(40):
        history.append(f"question {n}")
        held.append(spoken("route", history[-1], "booking"))
        history.append(f"answer {n}")
        held.append(spoken("agent", *history))
    assert [text for _, text in words(turns_of(held))] == history


def test_a_history_that_is_cut_at_its_beginning_is_laid_over_what_is_there() -> None:
    texts = [f"line {n}" for n in range(20)]
    held = [spoken("a", *texts[max(0, end - 6) : end]) for end in range(2, 21, 2)]
    assert [text for _, text in words(turns_of(held))] == texts


def test_an_agent_that_sends_its_last_message_alone_is_read_in_order() -> None:
    assert words(turns_of([spoken("", "one", "1"), spoken("", "two", "2")])) == [
        ("user", "one"), ("assistant", "1"), ("user", "two"), ("assistant", "2"),
    ]  # fmt: skip


def test_a_guard_that_looks_at_the_only_reply_is_no_turn() -> None:
    held = [
        spoken("route", "Habari", "booking"),
        spoken("agent", "Habari", "Karibu sana"),
        spoken("safe?", "Karibu sana", "ok"),
    ]
    assert words(turns_of(held)) == [("user", "Habari"), ("assistant", "Karibu sana")]


def test_a_system_text_that_changes_with_every_call_loses_nothing() -> None:
    held = [spoken("now 10:00", "a", "1"), spoken("now 10:01", "a", "1", "b", "2")]
    assert [text for _, text in words(turns_of(held))] == ["a", "1", "b", "2"]


@pytest.mark.parametrize("attributes", [
    {}, {"openinference.span.kind": "LLM"}, {"gen_ai.operation.name": "chat", "gen_ai.input.messages": "["},
    {"gen_ai.operation.name": "chat", "gen_ai.input.messages": '[1, {"role": 3, "parts": 4}, null]'},
    {"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": 7},
    {"gen_ai.operation.name": "chat", "gen_ai.output.messages": ["x"], "gen_ai.system_instructions": 5},
])  # fmt: skip
def test_whatever_stands_in_a_span_it_is_read(attributes: dict[str, Any]) -> None:
    assert not read_span(attributes).has_text


def texts_of(*calls: TracedCall) -> list[str]:
    held = list(calls)
    found = [text for _, text in words(turns_of(held))]
    for seed in range(5):
        shuffled = random.Random(seed).sample(held, len(held))
        assert [text for _, text in words(turns_of(shuffled))] == found
    return found


@pytest.mark.parametrize("told", ["It is 10:0{n}.", "Today is day {n}, Friday", "Order 77{n} of 2026-11-2{n}"])
def test_a_clock_in_the_system_text_of_an_agent_that_sends_its_last_message_alone(told: str) -> None:
    held = [spoken(f"Be kind. {told.format(n=n)}", f"q{n}", f"a{n}") for n in range(1, 5)]
    assert texts_of(*held) == [text for n in range(1, 5) for text in (f"q{n}", f"a{n}")]


@pytest.mark.parametrize(
    "after", ["Be kind. Summary so far: four questions.", "The customer asked four things.", "Be kind"]
)
def test_a_history_that_was_put_into_a_summary_goes_on_behind_it(after: str) -> None:
    before = [text for n in range(4) for text in (f"question {n}", f"answer {n}")]
    behind = [text for n in range(4, 6) for text in (f"question {n}", f"answer {n}")]
    held = [spoken("Be kind", *before[: 2 * n]) for n in range(1, 5)]
    held += [spoken(after, *behind[: 2 * n]) for n in range(1, 3)]
    assert texts_of(*held) == [*before, *behind]


def test_the_same_word_said_again_and_answered_alike_is_said_again() -> None:
    assert texts_of(*(spoken("", "Yes", "Noted.") for _ in range(4))) == ["Yes", "Noted."] * 4
    whole = [spoken("", *["Yes", "Noted."] * n) for n in range(1, 5)]
    assert texts_of(*whole) == ["Yes", "Noted."] * 4


def test_a_call_that_two_libraries_traced_is_one() -> None:
    inner = spoken("agent", "Hello", "Karibu")
    outer = dataclasses.replace(inner, span_id="0", started_ns=inner.started_ns - 5, ended_ns=inner.ended_ns + 5)
    assert texts_of(outer, inner, spoken("agent", "Friday?", "Free.")) == ["Hello", "Karibu", "Friday?", "Free."]


def test_two_agents_who_answer_one_after_the_other_are_one_conversation() -> None:
    held = [spoken("You greet.", "Hello", "Karibu"), spoken("You book.", "Friday?", "At ten?")]
    held.append(spoken("You book.", "Ok", "Booked"))
    assert texts_of(*held) == ["Hello", "Karibu", "Friday?", "At ten?", "Ok", "Booked"]


def test_what_works_beside_the_conversation_adds_nothing() -> None:
    held = [
        spoken("Rewrite the question.", "Is Friday free?", "free slots friday"),
        spoken("You book.", "Context: hours. Question: Is Friday free?", "At ten."),
        spoken("Give it a title.", "Title for: Context: hours. Question: Is Friday free? At ten.", "A booking"),
        spoken("safe?", "At ten.", "ok"),
    ]
    assert len(texts_of(*held)) == 2


def test_a_message_that_comes_back_written_otherwise_is_not_said_twice() -> None:
    held = [spoken("", "Hello", "**Karibu!**"), spoken("", "Hello", "Karibu!", "Friday?", "Free.")]
    assert texts_of(*held) == ["Hello", "**Karibu!**", "Friday?", "Free."]
