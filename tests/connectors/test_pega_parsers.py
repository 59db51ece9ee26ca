"""What is read of a Pega's answers: recorded shapes, and properties over everything that could come."""

import contextlib
import html
import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connectors.errors import BadReply
from apps.connectors.pega.conversations import read_conversation, read_messages
from apps.connectors.pega.insight import FieldPrefill, read_insight, read_listed, read_prefills
from apps.connectors.pega.stages import Visited, read_stages
from apps.connectors.pega.texts import pega_time, plain_text, without_tags
from apps.connectors.pega.tracer import read_tracer
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
WORDS = st.text(st.characters(exclude_characters="<>&\r\xa0\x1e", exclude_categories=["Cs"]), max_size=60)


@pytest.mark.parametrize(
    "content, shown",
    [
        ("Hi &amp; hello", "Hi & hello"),
        ("&lt;p&gt;Welcome&lt;/p&gt;", "Welcome"),
        ("&lt;p&gt;To &lt;b&gt;Amani&lt;/b&gt;.&lt;/p&gt;\n&lt;p&gt;What next?&lt;/p&gt;", "To Amani.\nWhat next?"),
        ("&lt;p&gt;one&lt;/p&gt;&lt;p&gt;two&lt;br/&gt;&lt;br&gt;three&lt;/p&gt;", "one\ntwo\n\nthree"),
        ("&lt;ul&gt;&lt;li&gt;a&lt;/li&gt;&lt;li&gt;b&lt;/li&gt;&lt;/ul&gt;", "a\nb"),
        ("written `Save &amp;amp; win`", "written `Save &amp; win`"),  # unescaped once
        ("press &lt;Enter&gt;, and x &lt; 5", "press <Enter>, and x < 5"),  # no HTML element
        ("&gt; quoted", "> quoted"),
        ("that&#x27;s right", "that's right"),
        ("a&lt;script&gt;alert(1)&lt;/script&gt;b", "ab"),
        ("a&lt;script&gt;never closed", "a<script>never closed"),
        ("## Title\n\n- one\n  - two", "## Title\n\n- one\n  - two"),
    ],
)
def test_a_message_is_what_a_reader_sees(content: str, shown: str) -> None:
    assert plain_text(content) == shown


@given(WORDS)
def test_words_without_markup_stay_as_they_are(words: str) -> None:
    assert plain_text(html.escape(words)) == words.strip()
    assert without_tags(words) == words.strip()


@given(
    st.lists(WORDS | st.sampled_from(["<p>", "</p>", "<b>", "</b>", "<br>", "<!-- x -->", "<td a='b'>"]), max_size=12)
)
def test_the_view_and_agentx_show_the_same(parts: list[str]) -> None:
    text = "".join(parts)
    assert plain_text(html.escape(text)) == without_tags(text)


@pytest.mark.parametrize("piece", ["<script>", "<p ", "<!--", "&lt;", "<b><", " \n\x1e", "<p>\n"])
def test_a_megabyte_takes_a_bounded_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    started = time.perf_counter()
    plain_text(text)
    assert time.perf_counter() - started < 15


@pytest.mark.parametrize(
    "text", ["20261120T100001.250 GMT", "2026-11-20T10:00:01.250Z", "2026-11-20T13:00:01.250+03:00"]
)
def test_both_forms_of_a_time(text: str) -> None:
    assert pega_time(text) == datetime(2026, 11, 20, 10, 0, 1, 250_000, tzinfo=UTC)


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1)))  # noqa: DTZ001
def test_every_time_comes_back(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    written = f"{moment:%Y%m%dT%H%M%S}.{moment.microsecond // 1000:03d} GMT"
    assert pega_time(written) == moment.replace(tzinfo=UTC)
    assert pega_time(moment.isoformat()) == moment.replace(tzinfo=UTC)


@given(st.none() | st.integers() | st.text(max_size=30))
def test_what_is_no_time_is_none(value: Any) -> None:
    found = pega_time(value)
    assert found is None or found.tzinfo is UTC


VIEW = {
    "pyID": "PXCONV-123",
    "pyStatusWork": "Open",
    "pxCreateDateTime": "20261120T100000.000 GMT",
    "pyMessages": [
        {"pyRole": "ASSISTANT", "pyContent": "&lt;p&gt;Welcome&lt;/p&gt;", "pyMessageID": "MSG-1"},
        {"pyRole": "USER", "pyContent": "", "pyMessageID": "MSG-2", "pxCreateDateTime": "20261120T100001.000 GMT"},
        {"pyRole": "SYSTEM", "pyContent": "no role of a conversation"},
    ],
    "pzCaseProcessingData": {
        "pzCaseKey": "ORG-APP-WORK C-1",
        "pzAssignmentKey": "ASSIGN-WORKLIST ORG-APP-WORK C-1!FLOW",
        "pzAssignmentFieldsMetaData": '[{"name":"Amount","defaultValue":"5"},{"name":"Empty","defaultValue":""}]',
        "pzPrevAssignmentFieldsMetaData": "[]",
    },
}


def test_the_view_of_a_conversation() -> None:
    found = read_insight(VIEW, who="it")
    assert [(message.role, message.text, message.message_id) for message in found.messages] == [
        (TurnRole.ASSISTANT, "Welcome", "MSG-1"), (TurnRole.USER, "", "MSG-2"),
    ]  # fmt: skip
    assert (found.id, found.status, found.case_key) == ("PXCONV-123", "Open", "ORG-APP-WORK C-1")
    assert found.prefills == (FieldPrefill(name="Amount", value="5"),)
    assert found.earlier_prefills == ()
    assert read_insight({"data": VIEW}, who="it") == found
    assert read_insight({"pyID": "x"}, who="it").messages == ()


def test_agentx_messages_name_their_files() -> None:
    messages = [{"role": "USER", "content": "", "messageID": "M", "attachments": [{"name": "Zelle.pdf"}, {}, 3]}]
    assert read_conversation({"messages": messages})[0].files == ("Zelle.pdf",)


A = {"stages": [{"ID": "P0", "name": "Setup", "visited_status": "completed", "processSequences": [{"processes": [
    {"ID": "F", "name": "Flow", "visited_status": "completed", "startedBy": "stage", "steps": [
        {"ID": "S1", "name": "Collect", "visited_status": "completed"}]}]}]},
    {"ID": "P1", "name": "Review", "visited_status": "active", "processSequences": []}]}  # fmt: skip
B = {"stages": [{"ID": "P0", "name": "Setup", "processes": [{"ID": "F", "name": "Flow", "steps": [
    {"ID": "S1", "name": "Collect", "visited": True}]}]},
    {"ID": "P1", "name": "Review", "processes": [{"ID": "F", "name": "Flow", "steps": [
        {"ID": "S1", "name": "Look", "visited": True}, {"ID": "S2", "name": "Say", "visited": False}]}]},
    {"ID": "P2", "name": "Launch", "processes": []}]}  # fmt: skip


def test_both_shapes_of_stages() -> None:
    first, second = read_stages(A, who="it"), read_stages(B, who="it")
    assert first[0] == second[0]
    assert first[0].steps[0].visited is Visited.COMPLETED
    assert first[0].steps[0].process == "Flow"
    assert [stage.visited for stage in first] == [Visited.COMPLETED, Visited.ACTIVE]
    assert [stage.visited for stage in second] == [Visited.COMPLETED, Visited.ACTIVE, Visited.FUTURE]


TRACER = {"conversation_history": [{"history": [
    {"role": "system", "content": "the prompt"},
    {"role": "user", "content": "book it"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "create_case", "arguments": '{"name": "x"}'}}]},
    {"role": "tool", "tool_call_id": "c1", "name": "create_case", "content": "ok"},
    {"role": "assistant", "content": "Done"}]}], "plugins": [], "metrics": []}  # fmt: skip


def test_a_tracers_export_has_the_tool_calls() -> None:
    user, call, result, words = read_tracer(TRACER)
    assert (user.content, words.content) == ("book it", "Done")
    assert (call.tool_calls[0].name, call.tool_calls[0].arguments) == ("create_case", {"name": "x"})
    assert (result.role, result.tool_call_id, result.content) == (TurnRole.TOOL, "c1", "ok")


@pytest.mark.parametrize(
    "data, pointer",
    [
        ([], "/conversation_history"),
        ({"conversation_history": []}, "/conversation_history"),
        ({"conversation_history": [{}]}, "/conversation_history/0/history"),
        ({"conversation_history": [{"history": [{"role": "king"}]}]}, "/conversation_history/0/history/0/role"),
    ],
)
def test_what_is_no_export_is_refused_by_place(data: Any, pointer: str) -> None:
    with pytest.raises(BadInput) as raised:
        read_tracer(data)
    assert raised.value.pointer == pointer


@settings(max_examples=150)
@given(JSON, st.sampled_from(["pyMessages", "messages", "stages", "conversation_history", "data"]))
def test_nothing_that_comes_breaks_a_reader(inner: Any, key: str) -> None:
    for data in (
        inner,
        {key: inner},
        {key: [inner]},
        {key: [{"history": inner, "steps": inner, "processes": [inner]}]},
    ):
        read_conversation(data)
        read_messages(data)
        read_listed(data)
        for reader in (read_insight, read_stages):
            with contextlib.suppress(BadReply):
                reader(data, who="it")
        with contextlib.suppress(BadInput):
            read_tracer(data)


@settings(max_examples=100)
@given(JSON)
def test_field_metadata_in_any_form(inner: Any) -> None:
    assert read_prefills(json.dumps(inner)) == (read_prefills(inner) if not isinstance(inner, str) else ())
    for prefill in read_prefills([inner]):
        assert prefill.name
