"""Reading what agents send: tool calls in all their shapes, streams, results. Nothing an agent sends may break us."""

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.connectors.agents.a2a.dialects import TaskState, read_state
from apps.connectors.agents.a2a.reply import read_result
from apps.connectors.agents.a2a.stream import Folded, events
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.registry import agent_for
from apps.connectors.agents.tool_calls import read_tool_calls, whole
from apps.connectors.errors import BadReply, RateLimited
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import talk

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["id", "kind", "parts", "text", "data", "status", "state", "message", "task", "artifacts", "artifact", "metadata",
     "toolCalls", "name", "arguments", "history", "role", "contextId", "taskId", "statusUpdate", "artifactUpdate",
     "append"]
)  # fmt: skip
LIKELY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["working", "user", "x", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "item",
    [
        {"id": "1", "name": "book", "arguments": {"n": 3}},
        {"id": "1", "name": "book", "arguments": '{"n": 3}'},
        {"id": "1", "type": "function", "function": {"name": "book", "arguments": '{"n": 3}'}},
        {"id": "1", "name": "book", "args": {"n": 3.0}},
        {"id": "1", "name": "book", "input": {"n": 3}},
        {"callId": "1", "toolName": "book", "parameters": {"n": 3}},
    ],
)
def test_a_tool_call_is_read_in_every_shape(item: dict[str, Any]) -> None:
    (call,), _ = read_tool_calls([item])
    assert (call.id, call.name, call.arguments) == ("1", "book", {"n": 3})
    assert isinstance(call.arguments["n"], int)


def test_arguments_that_are_not_an_object_are_kept() -> None:
    calls, results = read_tool_calls(
        [{"name": "a", "arguments": "{oops"}, {"name": "b", "args": [1], "output": {"x": 1}}]
    )
    assert [call.arguments for call in calls] == [{"raw": "{oops"}, {"value": [1]}]
    assert results == {"call_2": '{"x": 1}'}


@given(ANYTHING | LIKELY)
def test_whatever_stands_for_tool_calls_is_read_or_left_out(value: Any) -> None:
    calls, results = read_tool_calls(value)
    assert all(call.name for call in calls)
    assert set(results) <= {call.id for call in calls}


@given(ANYTHING)
def test_whole_numbers_change_nothing_but_their_type(value: Any) -> None:
    assert whole(value) == value


@given(LIKELY)
def test_a_result_is_read_or_refused(value: Any) -> None:
    try:
        outcome = read_result(value, who="it")
    except BadReply:
        return
    assert isinstance(outcome.text, str)


@given(st.lists(LIKELY, max_size=4))
def test_a_stream_of_anything_is_folded(values: list[Any]) -> None:
    folded = Folded()
    for value in values:
        folded.take(value)
    assert folded.finished in (True, False)


@given(st.lists(st.dictionaries(st.text(), st.text(), max_size=2), max_size=4), st.sampled_from(["data:", "data: "]))
def test_events_are_read_as_they_were_sent(documents: list[Any], prefix: str) -> None:
    async def lines() -> AsyncIterator[str]:
        yield ": a comment"
        for document in documents:
            yield "event: message"
            yield prefix + json.dumps(document)
            yield ""

    async def read() -> list[Any]:
        return [event async for event in events(lines())]

    assert asyncio.run(read()) == documents


@pytest.mark.parametrize("state", list(TaskState))
def test_states_read_alike_in_both_dialects(state: TaskState) -> None:
    assert read_state(state.value) is state
    assert read_state("TASK_STATE_" + state.value.upper().replace("-", "_")) is state
    assert read_state(None) is TaskState.UNKNOWN


def test_the_reply_is_in_the_artifacts_then_the_status_then_the_history() -> None:
    said = {"role": "agent", "parts": [{"text": "in history"}]}
    status = {"state": "completed", "message": {"parts": [{"text": "in status"}]}}
    artifacts = [{"parts": [{"text": "in"}, {"data": {"x": 1}}]}, {"parts": [{"text": "artifacts"}]}]
    assert read_result({"status": status, "artifacts": artifacts, "history": [said]}, who="it").text == "in\nartifacts"
    assert read_result({"status": status, "history": [said]}, who="it").text == "in status"
    assert read_result({"status": {"state": "completed"}, "history": [said]}, who="it").text == "in history"
    asked = {"role": "user", "parts": [{"text": "a question"}]}
    assert read_result({"status": {"state": "completed"}, "history": [said, asked]}, who="it").text == ""


PROSE = "Habari! Your table is ready at 10.30, for KES 1,500.\nSee you there. Kwaheri — 你好。再见。"


@given(st.lists(st.integers(0, len(PROSE)), max_size=12))
def test_chunks_of_an_artifact_are_one_text_wherever_they_were_cut(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(PROSE)]
    parts = [{"text": PROSE[start:end]} for start, end in pairwise(places)]
    task = {"status": {"state": "completed"}, "artifacts": [{"artifactId": "a", "parts": parts}]}
    assert read_result(task, who="it").text == PROSE


def test_paragraphs_of_an_artifact_stay_paragraphs() -> None:
    parts = [{"text": "You are booked."}, {"text": "Bring your card."}, {"text": "- or cash"}]
    task = {"status": {"state": "completed"}, "artifacts": [{"parts": parts}]}
    assert read_result(task, who="it").text == "You are booked.\nBring your card.\n- or cash"


@pytest.mark.parametrize(
    "parts, shown",
    [
        ([{"data": {"slots": ["10:00", "11:00"]}}], '{"slots": ["10:00", "11:00"]}'),
        ([{"kind": "data", "data": [1.0, "ndiyo"]}], '[1, "ndiyo"]'),
        (
            [{"raw": "YWJj", "filename": "r.pdf", "mediaType": "application/pdf"}],
            "[file r.pdf, application/pdf, 3 bytes]",
        ),
        ([{"url": "https://x.test/r.pdf", "filename": "r.pdf"}], "[file r.pdf, https://x.test/r.pdf]"),
        (
            [{"kind": "file", "file": {"name": "r.pdf", "mimeType": "application/pdf", "bytes": "YWI="}}],
            "[file r.pdf, application/pdf, 2 bytes]",
        ),
        ([{"kind": "file", "file": {"uri": "https://x.test/r.pdf"}}], "[file without a name, https://x.test/r.pdf]"),
        (
            [{"text": "Here it is:"}, {"raw": "YWJj", "filename": "r.pdf"}, {"data": {"ui": 1}}],
            "Here it is:\n[file r.pdf, 3 bytes]",
        ),
        ([{"data": {"name": "book", "args": {}}}], ""),
        ([{"data": "x" * 30_000}], '"' + "x" * 19_999 + " […]"),
    ],
)
def test_an_answer_of_data_or_files_is_shown(parts: list[Any], shown: str) -> None:
    assert read_result({"parts": parts}, who="it").text == shown
    task = {"status": {"state": "completed"}, "artifacts": [{"parts": parts}]}
    assert read_result(task, who="it").text == shown


@pytest.mark.parametrize(
    "part",
    [
        {"kind": "data", "data": {"name": "book", "args": {"n": 3}, "id": "1"}},
        {"data": {"toolCalls": [{"id": "1", "name": "book", "arguments": {"n": 3}}]}},
        {"data": {"tool_calls": [{"id": "1", "function": {"name": "book", "arguments": '{"n":3}'}}]}},
    ],
)
def test_tool_calls_are_found_in_data_parts(part: dict[str, Any]) -> None:
    (call,) = read_result({"parts": [{"text": "ok"}, part]}, who="it").tool_calls
    assert (call.id, call.name, call.arguments) == ("1", "book", {"n": 3})


def test_a_script_runs_out_into_an_ending() -> None:
    spec = AgentSpec(kind="scripted", address="", options={"replies": ["one", {"text": "two"}]})
    first, second, third = talk(spec, "a", "b", "c")
    assert (first.text, second.text, third.text, third.ended) == ("one", "two", "", True)


def test_a_script_can_limit_us() -> None:
    spec = AgentSpec(kind="scripted", address="", options={"replies": [{"fail": "rate_limited", "retry_after_s": 4}]})
    with pytest.raises(RateLimited) as raised:
        talk(spec, "a")
    assert raised.value.retry_after == 4


@pytest.mark.parametrize(
    "options, pointer",
    [
        ({"replies": [3]}, "/options/replies/0"),
        ({"replies": [{"fail": "explode"}]}, "/options/replies/0/fail"),
        ({"rules": ["x"]}, "/options/rules/0"),
        ({"rules": [{"when": "("}]}, "/options/rules/0/when"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused(options: dict[str, Any], pointer: str) -> None:
    with pytest.raises(BadInput) as raised:
        agent_for(AgentSpec(kind="scripted", address="", options=options))
    assert raised.value.pointer == pointer
