"""What every kind of agent connector promises. One suite over all of them, against real servers."""

import asyncio
import time
from collections.abc import Callable

import pytest

from apps.connectors.agents.base import AgentSession, AgentSpec, AgentTurn
from apps.connectors.agents.registry import agent_for, kinds
from apps.connectors.errors import AgentFailed, AgentRefused, ConnectorError, RemoteRefusal, Unreachable
from apps.connectors.outbound import outbound_client
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import POLICY, talk
from tests.connectors.agents.sdk_server import HUGE, SLOW_S

Spec = Callable[..., AgentSpec]


def test_a_conversation_keeps_its_context(make_spec: Spec) -> None:
    first, second, third = talk(make_spec(), "hello", "more", "again")
    assert [first.text, second.text, third.text] == [
        "you said: hello (turn 1)",
        "you said: more (turn 2)",
        "you said: again (turn 3)",
    ]
    assert first.session.context_id == second.session.context_id == third.session.context_id
    assert first.latency_ms >= 0
    assert not first.ended


def test_two_conversations_do_not_meet(make_spec: Spec) -> None:
    assert talk(make_spec(), "one")[0].text == "you said: one (turn 1)"
    assert talk(make_spec(), "two")[0].text == "you said: two (turn 1)"


def test_a_stored_session_is_taken_up_by_another_connector(make_spec: Spec) -> None:
    session = talk(make_spec(), "hello")[0].session
    stored = AgentSession(context_id=session.context_id, state=dict(session.state))
    assert talk(make_spec(), "back", session=stored)[0].text == "you said: back (turn 2)"


def test_unicode_and_awkward_text_arrive_whole(make_spec: Spec) -> None:
    text = 'Sawa ☕ 你好 "quoted" {{ text }} \\n </script>\nline two 🇰🇪'
    assert talk(make_spec(), text)[0].text == f"you said: {text} (turn 1)"


def test_an_empty_reply_is_an_answer(make_spec: Spec) -> None:
    assert talk(make_spec(), "nothing")[0].text == ""


def test_a_huge_reply_is_whole(make_spec: Spec) -> None:
    assert len(talk(make_spec(), "huge")[0].text) == HUGE


def test_tool_calls_become_turns(make_spec: Spec) -> None:
    if make_spec().kind == "agentx":
        pytest.skip("AgentX shows no tool calls")
    reply = talk(make_spec(), "tools")[0]
    (call,) = reply.tool_calls
    assert (call.id, call.name, call.arguments) == ("c1", "free_slots", {"day": "2026-11-21", "n": 3})
    calls, result = reply.tool_turns(at=None)
    assert (calls.role, calls.content, calls.tool_calls) == (TurnRole.ASSISTANT, "", (call,))
    assert (result.role, result.tool_call_id, result.content) == (TurnRole.TOOL, "c1", '{"slots": ["10:00"]}')


def test_the_agent_can_end_the_conversation(make_spec: Spec) -> None:
    if make_spec().kind == "agentx":
        pytest.skip("an AgentX reply does not say that the conversation is over")
    assert talk(make_spec(), "bye")[0].ended


def test_a_slow_agent_times_out_and_is_not_asked_again(make_spec: Spec, deliveries: Callable[[], int]) -> None:
    started = time.perf_counter()
    with pytest.raises(Unreachable) as raised:
        talk(make_spec(timeout_s=0.4), "slow")
    assert raised.value.timed_out
    assert raised.value.sent
    assert time.perf_counter() - started < SLOW_S / 2
    assert deliveries() <= 1


def test_an_agents_refusal_is_named(make_spec: Spec, deliveries: Callable[[], int]) -> None:
    with pytest.raises((AgentRefused, RemoteRefusal)):
        talk(make_spec(), "fail")
    assert deliveries() <= 1


def test_an_agents_breakdown_is_not_repeated(make_spec: Spec, deliveries: Callable[[], int]) -> None:
    with pytest.raises(AgentFailed):
        talk(make_spec(), "boom")
    assert deliveries() <= 1


def test_a_cancelled_turn_ends_at_once(make_spec: Spec, deliveries: Callable[[], int]) -> None:
    async def cancelled() -> float:
        spec = make_spec(timeout_s=SLOW_S)
        async with outbound_client(POLICY) as client:
            agent = agent_for(spec)
            turn = AgentTurn(text="slow", session=AgentSession(), message_id="m")
            task = asyncio.create_task(agent.send(turn, client=client))
            await asyncio.sleep(0.2)
            started = time.perf_counter()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.perf_counter() - started

    assert asyncio.run(cancelled()) < SLOW_S / 2
    assert deliveries() <= 1


def test_many_conversations_at_once_stay_apart(make_spec: Spec) -> None:
    async def crowd() -> list[list[str]]:
        async with outbound_client(POLICY) as client:
            agent = agent_for(make_spec())

            async def one(n: int) -> list[str]:
                session, said = AgentSession(), []
                for turn in range(3):
                    outgoing = AgentTurn(text=f"c{n}", session=session, message_id=f"{n}-{turn}")
                    reply = await agent.send(outgoing, client=client)
                    session = reply.session
                    said.append(reply.text)
                return said

            return await asyncio.gather(*(one(n) for n in range(8)))

    assert asyncio.run(crowd()) == [[f"you said: c{n} (turn {turn})" for turn in (1, 2, 3)] for n in range(8)]


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="a2a, agentx, http, prompted, pulled, scripted") as raised:
        agent_for(AgentSpec(kind="telepathy", address=""))
    assert raised.value.pointer == "/kind"
    assert kinds() == ("a2a", "agentx", "http", "prompted", "pulled", "scripted")


def test_secrets_do_not_show_in_a_spec() -> None:
    assert "hush" not in repr(AgentSpec(kind="a2a", address="http://x", secrets={"bearer_token": "hush"}))


@pytest.mark.parametrize("kind", ["a2a", "http"])
def test_where_nobody_listens_nothing_was_sent(kind: str) -> None:
    spec = AgentSpec(kind=kind, address="http://127.0.0.1:10", options={"endpoint": "http://127.0.0.1:1111/"})
    spec = spec if kind == "a2a" else AgentSpec(kind="http", address="http://127.0.0.1:1111/")
    with pytest.raises(ConnectorError) as raised:
        talk(spec, "hello")
    assert isinstance(raised.value, Unreachable)
    assert not raised.value.sent
