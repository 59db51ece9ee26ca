"""An agent that its runner asks for us: the same replies, refusals and blame as where we ask it ourselves."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.api.domain.pulled_body import read_reply
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec
from apps.connectors.agents.pulled import PulledAgent
from apps.connectors.agents.runners import RunnerAnswer, RunnerQuestion
from apps.connectors.errors import ConnectorError
from apps.core.attached_files import AttachedFile
from apps.core.errors import BadInput
from apps.runs.domain.pulled_turns import PulledLook, PulledState, outcome_of
from pytest_ratiba.agents import AgentProtocolName, AgentSetting
from pytest_ratiba.pulled import LeasedTurn
from pytest_ratiba.relayed import RelayedAgent, is_private
from tests.connectors.agents.conftest import talk
from tests.connectors.agents.sdk_server import SDKServer
from tests.loopback.http_server import Answer, LoopbackServer, Request

NOW = datetime(2026, 11, 22, tzinfo=UTC)
LEASE = "0197f8a0-0000-7000-8000-000000000000"
WORDS = ("hello", "nothing", "huge", "tools", "bye", "ask", "task", "task chunks", "fail", "reject", "auth", "boom")


@dataclass
class Runner:
    """What stands between the server's connector and the agent: the API's reading of a reply, and the plugin."""

    agent: RelayedAgent
    posted: list[Any] = field(default_factory=list)

    async def __call__(self, question: RunnerQuestion) -> RunnerAnswer:
        turn = LeasedTurn(
            id="t", lease=LEASE, conversation_id=question.session, position=len(question.messages) - 1, context={},
            messages=[dict(one) for one in question.messages], session=question.session, expires_at=NOW,
            answer_by=datetime.now(UTC) + timedelta(seconds=question.timeout_s),
        )  # fmt: skip
        body = await self.agent.respond(turn, {})
        self.posted.append(body)
        reply = read_reply({"lease": LEASE, **body}).as_json()
        look = PulledLook(
            state=PulledState.REPLIED, held=True, asked_at=NOW, timeout_s=question.timeout_s, reply=reply,
            leased_at=NOW, lease_expires_at=None, answer_by=None, answered_at=NOW, runner_seen_at=None,
        )  # fmt: skip
        outcome = outcome_of(look, now=NOW)
        if isinstance(outcome, RunnerAnswer):
            return outcome
        assert isinstance(outcome, Exception)
        raise outcome


def runner(address: str, kind: AgentProtocolName = AgentProtocolName.A2A) -> Runner:
    return Runner(RelayedAgent(AgentSetting(name="shop", address=address, kind=kind)))


def relayed(between: Runner, *texts: str, **more: Any) -> list[AgentReply]:
    spec = AgentSpec(kind="pulled", address="")
    return talk(spec, *texts, agent=PulledAgent(spec).with_runner(between), session=AgentSession(), **more)


def outcome(converse: Callable[[], list[AgentReply]]) -> Any:
    """What a conversation came to, without what no two conversations share."""
    try:
        return [
            (one.text, one.tool_calls, dict(one.tool_results), one.ended, one.task_state) for one in converse()
        ]  # fmt: skip
    except ConnectorError as error:
        return type(error), getattr(error, "said", ""), error.status, error.extra.get("rpc_code")


@pytest.fixture
def old_card(sdk: SDKServer) -> Any:
    """The same server, found by a card of 0.3."""
    card = json.dumps({"url": sdk.base, "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC"}).encode()
    with LoopbackServer(lambda request: Answer(body=card)) as server:
        yield server.url


@pytest.mark.parametrize("words", WORDS)
def test_an_a2a_agent_amounts_to_the_same_whoever_asks_it(sdk: SDKServer, old_card: str, words: str) -> None:
    direct = outcome(lambda: talk(AgentSpec(kind="a2a", address=sdk.base, options={"poll_s": 0.05}), words, "more"))
    assert outcome(lambda: relayed(runner(sdk.base), words, "more")) == direct
    assert outcome(lambda: relayed(runner(old_card), words, "more")) == direct


ANSWERS = {
    "reply": Answer(body=b'{"reply": "Karibu"}'),
    "several": Answer(body=b'{"reply": ["a", "b"]}'),
    "not JSON": Answer(body=b"<html>"),
    "nothing there": Answer(body=b'{"text": "x"}'),
    "its own failure": Answer(status=500, body=b"Traceback"),
    "a gateway's": Answer(status=502, body=b"bad gateway"),
    "a refusal": Answer(status=404, body=b"{}"),
    "a broken connection": Answer(fault="reset"),
    "events": Answer(body=b'data: {"reply": "Kari"}\n\ndata: {"reply": "bu"}\n\n', content_type="text/event-stream"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_http_agent_amounts_to_the_same_whoever_asks_it(name: str) -> None:
    with LoopbackServer(lambda request: ANSWERS[name]) as server:
        direct = outcome(lambda: talk(AgentSpec(kind="http", address=server.url), "hello"))
        assert outcome(lambda: relayed(runner(server.url, AgentProtocolName.HTTP), "hello")) == direct


def test_an_agent_that_asks_for_a_pause_is_asked_again_after_it() -> None:
    answers = [Answer(status=429, headers={"retry-after": "0"}), Answer(body=b'{"reply": "Karibu"}')]
    with LoopbackServer(lambda request: answers.pop(0)) as server:
        assert [one.text for one in relayed(runner(server.url, AgentProtocolName.HTTP), "hello")] == ["Karibu"]


def test_a_conversation_has_one_session_and_another_its_own() -> None:
    heard: list[Any] = []

    def answer(request: Request) -> Answer:
        heard.append(json.loads(request.body))
        return Answer(body=b'{"reply": "x"}')

    with LoopbackServer(answer) as server:
        between = runner(server.url, AgentProtocolName.HTTP)
        relayed(between, "one", "two")
        assert [one["message"] for one in heard] == ["one", "two"]
        assert len({one["session_id"] for one in heard}) == 1


def test_nobody_at_the_address_is_the_networks_fault() -> None:
    (found, *_) = outcome(lambda: relayed(runner("http://127.0.0.1:1111/"), "hello"))
    assert found.__name__ == "Unreachable"


def test_an_agent_whose_process_ended_is_said_to_have_ended() -> None:
    between = runner("http://127.0.0.1:1111/", AgentProtocolName.HTTP)
    between.agent._gone = lambda: "agent 'shop' was ended by SIGKILL"
    with pytest.raises(ConnectorError, match="agent 'shop' was ended by SIGKILL"):
        relayed(between, "hello")


def test_no_card_is_said_with_the_address() -> None:
    with (
        LoopbackServer(lambda request: Answer(status=404)) as server,
        pytest.raises(ConnectorError, match=f"{server.url} shows no A2A card"),
    ):
        relayed(runner(server.url), "hello")


def test_files_go_with_their_turn_where_they_are_at_hand() -> None:
    file, parts = AttachedFile(name="Zelle.pdf", content=b"%PDF"), list[Any]()

    def answer(request: Request) -> Answer:
        if request.method == "GET":
            card = {"supportedInterfaces": [{"url": "/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}
            return Answer(body=json.dumps(card).encode())
        parts.append(json.loads(request.body)["params"]["message"]["parts"])
        return Answer(body=b'{"jsonrpc": "2.0", "id": 1, "result": {"message": {"parts": [{"text": "Got it."}]}}}')

    with LoopbackServer(answer) as server:
        between = runner(server.url)
        relayed(between, "see this", attachments=(file,))
        between.agent.files[file.sha256] = file.content
        relayed(between, "see this", attachments=(file,))
    words = {"text": "see this\n[I have attached a file: Zelle.pdf]"}
    assert parts == [[words], [words, {"raw": "JVBERg==", "filename": "Zelle.pdf", "mediaType": "application/pdf"}]]


def test_state_shown_beside_the_words_is_noted_for_assertions() -> None:
    body = {"reply": "Paid.", "state": "paid", "transitions": [["asked", "pay", "paid"]], "log": "of its own"}
    with LoopbackServer(lambda request: Answer(body=json.dumps(body).encode())) as server:
        between = runner(server.url, AgentProtocolName.HTTP)
        relayed(between, "pay")
    (shown,) = between.agent.observed.values()
    assert (shown.state, shown.transitions, shown.log) == ("paid", [("asked", "pay", "paid")], [])


def test_a_slow_agent_is_given_up_by_the_servers_limit() -> None:
    async def late() -> dict[str, Any]:
        with LoopbackServer(lambda request: Answer(fault="hang")) as server:
            agent = RelayedAgent(AgentSetting(name="shop", address=server.url, kind=AgentProtocolName.HTTP))
            by = datetime.now(UTC) - timedelta(seconds=4.8)  # so long ago that the grace is nearly over too
            turn = LeasedTurn(id="t", lease=LEASE, conversation_id="c", position=0, messages=[{"content": "x"}],
                              context={}, expires_at=NOW, answer_by=by, session="s")  # fmt: skip
            return await agent.respond(turn, {})

    assert asyncio.run(late())["fault"] == "transport"


@pytest.mark.parametrize(
    "host, private",
    [
        ("127.0.0.1", True), ("localhost", True), ("shop.localhost", True), ("10.1.2.3", True), ("::1", True),
        ("192.168.0.4", True), ("8.8.8.8", False), ("no-such-host.invalid", False),
    ],
)  # fmt: skip
def test_a_host_is_private_by_its_address(host: str, private: bool) -> None:
    assert is_private(host) is private


# --- One reader, whoever dialled --------------------------------------------------------------------------------------
BOOKED = {"reply": "Booked.", "tool_calls": [{"name": "book_slot", "arguments": {"hour": 10}}], "ended": True}


def http_reply(body: dict[str, Any], **paths: str) -> AgentReply:
    """What a runner's plain HTTP agent is heard to have said, with these paths in ratiba.yaml."""
    with LoopbackServer(lambda request: Answer(body=json.dumps(body).encode())) as server:
        setting = AgentSetting(
            name="shop", address=f"{server.url}/chat", kind=AgentProtocolName.HTTP, paths=tuple(paths.items())
        )
        (reply,) = relayed(Runner(RelayedAgent(setting)), "hello")
    return reply


def test_an_http_agents_tool_calls_and_end_are_read_where_the_runner_dials():
    reply = http_reply(BOOKED)
    assert [(call.name, dict(call.arguments)) for call in reply.tool_calls] == [("book_slot", {"hour": 10})]
    assert (reply.ended, reply.hidden) == (True, ())


def test_the_paths_of_ratiba_yaml_are_the_options_of_the_server():
    reply = http_reply({"out": {"say": "Done.", "used": [{"name": "pay"}]}}, reply="$.out.say", tool_calls="$.out.used")
    assert (reply.text, [call.name for call in reply.tool_calls]) == ("Done.", ["pay"])
    assert reply.hidden == ("ended",)


def test_what_an_answer_does_not_show_is_hidden_and_an_empty_list_is_shown():
    assert http_reply({"reply": "Hi"}).hidden == ("tool_calls", "ended")
    assert http_reply({"reply": "Hi", "tool_calls": [], "ended": False}).hidden == ()


def test_a_path_that_cannot_be_read_is_refused_by_name():
    response = {"protocol": "http", "status": 200, "options": {"ended": "$["}}
    with pytest.raises(BadInput) as caught:
        read_reply({"lease": LEASE, "response": response}).as_json()
    assert caught.value.pointer == "/response/options/ended"
