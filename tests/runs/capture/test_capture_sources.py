"""Captures from our own runs, documents, OpenAI messages, a tracer's export and a Langfuse."""

import asyncio
import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from apps.connectors.errors import RemoteRefusal
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.reader import LangfuseReader
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput, NotFound
from apps.core.timestamps import format_timestamp
from apps.runs.goldens.services.capture.capturing import CaptureResult, capture_session
from apps.runs.goldens.services.capture.file_source import captured_from_data
from apps.runs.goldens.services.capture.langfuse_source import captured_from_langfuse
from apps.runs.goldens.services.capture.reading import CaptureSource
from apps.runs.models import Conversation
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import NOW, at, make_agent, make_golden, of, play, replays

HI = {"role": "user", "content": "Hi"}
POLICY = OutboundPolicy(private_hosts=("loopback",), purpose="agent")


def replies_of(result: CaptureResult) -> list[dict[str, Any]]:
    return [turn for turn in result.document["turns"] if turn["role"] == "assistant"]


class TestOurOwnRuns:
    @pytest.fixture
    def held(self, tenant: str) -> str:
        calls = [{"id": "c1", "name": "free_slots", "arguments": {"day": "Friday"}}]
        make_agent({"text": "Which day?"}, {"text": "Friday is free.", "tool_calls": calls})
        make_golden("hello", "Hi", "Which day?", "Friday", "Fine.")
        run = replays("hello")
        play()
        return str(of(run)[0].pk)

    def test_a_finished_conversation_becomes_a_candidate(self, held: str) -> None:
        result = capture_session(agent="bot", ids=[held], name="again", now=NOW)
        assert [turn["role"] for turn in result.document["turns"]] == ["user", "assistant"] * 2
        first, second = replies_of(result)
        assert "expected_tools" not in first
        assert second["expected_tools"] == [
            {"name": "free_slots", "arguments": {"day": "Friday"}, "match": "subset", "left_out": []}
        ]
        assert second["tool_calls"] == [{"name": "free_slots", "arguments": {"day": "Friday"}}]
        assert first["description"] == "Hi"
        assert sum(result.gates.values()) == 2

    def test_one_that_has_not_ended_is_refused(self, held: str) -> None:
        Conversation.objects.filter(pk=held).update(status="running")
        with pytest.raises(BadInput, match="only one that has ended") as refused:
            capture_session(agent="bot", ids=[held], now=NOW)
        assert refused.value.code == "not_finished"

    def test_one_that_is_not_there_is_named(self, held: str) -> None:
        with pytest.raises(NotFound, match="no conversation 0"):
            capture_session(agent="bot", ids=["0" * 32], source=CaptureSource.RUN, now=NOW)

    def test_ids_that_say_nothing_ask_for_their_source(self, held: str) -> None:
        with pytest.raises(BadInput, match="pega, langfuse, run, file") as refused:
            capture_session(agent="bot", ids=["PXCONV-1"], now=NOW)
        assert refused.value.pointer == "/from"
        with pytest.raises(BadInput, match="no AgentX connection"):
            capture_session(agent="bot", ids=["PXCONV-1"], source=CaptureSource.PEGA, now=NOW)


def test_openai_messages_and_documents() -> None:
    messages = [
        {"role": "system", "content": "You are Bot."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"x": 1}'}}]},
        {"role": "tool", "tool_call_id": "c", "content": "{}"},
        {"role": "assistant", "content": "Found."},
    ]  # fmt: skip
    for data in (messages, {"messages": messages}, {"id": "m", "messages": messages}):
        session = captured_from_data(data, default_id="m", is_upload=lambda _: False)
        assert session.ids == ("m",)
        assert [turn.role for turn in session.conversations[0]][1:] == [
            TurnRole.USER, TurnRole.ASSISTANT, TurnRole.TOOL, TurnRole.ASSISTANT,
        ]  # fmt: skip
    with pytest.raises(BadInput) as refused:
        captured_from_data({"turns": [{"role": "king", "content": ""}]}, default_id="m", is_upload=lambda _: False)
    assert refused.value.pointer == "/turns/0/role"


def test_a_tracers_real_calls_count_and_patterns_do_not(tenant: str, tmp_path: Path) -> None:
    make_agent()
    export = {"conversation_history": [{"history": [
        {"role": "user", "content": "What is CPM?"},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "glossary", "arguments": "{}"}}]},
        {"role": "assistant", "content": "According to the glossary, the price of 1,000 messages."},
        {"role": "user", "content": "And a definition of reach?"},
        {"role": "assistant", "content": "By definition: how many people see it."}]}]}  # fmt: skip
    (tmp_path / "trace.json").write_text(json.dumps(export))
    result = capture_session(agent="bot", file=tmp_path / "trace.json", now=NOW)
    assert [reply.get("expected_tools", []) for reply in replies_of(result)] == [
        [{"name": "glossary", "arguments": {}, "match": "subset", "left_out": []}],
        [],
    ]
    assert all("latency_ms" not in reply for reply in replies_of(result))  # unknown, never 0


def test_a_conversation_without_a_customer_is_refused(tenant: str, tmp_path: Path) -> None:
    make_agent()
    (tmp_path / "g.json").write_text(json.dumps([{"role": "assistant", "content": "Welcome"}]))
    with pytest.raises(BadInput, match="nothing to replay"):
        capture_session(agent="bot", file=tmp_path / "g.json", now=NOW)


def observation(trace: str, second: int, **more: Any) -> dict[str, Any]:
    begun = at(second)
    ended = begun + timedelta(seconds=2.5)
    return {"id": f"{trace}-{second}", "projectId": "p", "traceId": trace, "startTime": format_timestamp(begun),
            "type": "SPAN", "endTime": format_timestamp(ended), "parentObservationId": None, **more}  # fmt: skip


class Langfuse:
    """`GET /api/public/v2/observations` of a project, a page of two at a time."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.queries: list[dict[str, list[str]]] = []

    def __call__(self, request: Request) -> Answer:
        if request.headers.get("authorization") != f"Basic {base64.b64encode(b'pk:sk').decode()}":
            return Answer(status=401, body=b'{"message": "Invalid credentials"}')
        query = parse_qs(urlsplit(request.path).query)
        self.queries.append(query)
        if int(query["limit"][0]) > 1000 or "parseIoAsJson" in query:
            return Answer(status=400, body=b"{}")
        begin = int(query.get("cursor", ["0"])[0])
        more = {"cursor": str(begin + 2)} if begin + 2 < len(self.rows) else {}
        return Answer(body=json.dumps({"data": self.rows[begin : begin + 2], "meta": {"limit": 2, **more}}).encode())


class TestLangfuse:
    @pytest.fixture
    def server(self) -> Iterator[tuple[Langfuse, str]]:
        langfuse = Langfuse()
        with LoopbackServer(langfuse) as running:
            yield langfuse, running.url

    def captured(self, url: str, *ids: str, secret: str = "sk") -> Any:
        async def read() -> Any:
            reader = LangfuseReader(LangfuseAddress(base_url=url, public_key="pk", secret_key=secret))
            async with outbound_client(POLICY) as client:
                return await captured_from_langfuse(reader, ids, client)

        return asyncio.run(read())

    def test_a_session_is_one_trace_a_turn(self, server: tuple[Langfuse, str]) -> None:
        langfuse, url = server
        langfuse.rows = [
            observation("t2", 60, input='"Friday"', output='{"role": "assistant", "content": "Fine."}'),
            observation("t1", 0, input=json.dumps({"messages": [{"role": "system", "content": "x"}, HI]}),
                        output="Which day?"),
            observation("t2", 61, type="TOOL", name="book", parentObservationId="t2-60", input='{"day": "Friday"}'),
        ]  # fmt: skip
        (turns,) = self.captured(url, "session-1").conversations
        assert [(turn.role.value, turn.content) for turn in turns] == [
            ("user", "Hi"), ("assistant", "Which day?"), ("user", "Friday"), ("assistant", "Fine."),
        ]  # fmt: skip
        assert turns[3].tool_calls[0].name == "book"
        assert turns[3].tool_calls[0].arguments == {"day": "Friday"}
        assert turns[1].ts is not None
        assert turns[0].ts is not None
        assert (turns[1].ts - turns[0].ts).total_seconds() == 2.5
        assert [query["sessionId"] for query in langfuse.queries] == [["session-1"], ["session-1"]]

    def test_one_trace_may_hold_the_whole_history(self, server: tuple[Langfuse, str]) -> None:
        langfuse, url = server
        history = [HI, {"role": "assistant", "content": "Yes?"},
                   {"role": "user", "content": "Bye"}]  # fmt: skip
        langfuse.rows = [observation("t", 0, input=json.dumps(history), output='{"content": "Kwaheri"}')]
        (turns,) = self.captured(url, "0" * 32).conversations
        assert [turn.content for turn in turns] == ["Hi", "Yes?", "Bye", "Kwaheri"]
        assert langfuse.queries[0]["traceId"] == ["0" * 32]

    def test_what_is_not_there_and_wrong_keys_are_named(self, server: tuple[Langfuse, str]) -> None:
        _, url = server
        with pytest.raises(NotFound, match="no words under the session 's'"):
            self.captured(url, "s")
        with pytest.raises(RemoteRefusal, match="401"):
            self.captured(url, "s", secret="wrong")

    def test_missing_settings_are_named_and_never_mean_the_cloud(self) -> None:
        with pytest.raises(BadInput, match="set LANGFUSE_BASE_URL, LANGFUSE_SECRET_KEY to read"):
            LangfuseAddress.from_environment({"LANGFUSE_PUBLIC_KEY": "pk"})
