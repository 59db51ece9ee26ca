"""AgentX, A2A and auto against the loopback Pega of examples/pega, which was written apart from these connectors."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx
import pytest

from apps.connectors.agents import oauth
from apps.connectors.agents.agentx import AgentXAgent
from apps.connectors.agents.auto import AutoAgent
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec
from apps.connectors.agents.registry import agent_for
from apps.connectors.errors import AgentFailed, AgentRefused, RemoteRefusal
from apps.connectors.outbound import outbound_client
from apps.connectors.pega.reader import PegaReader
from apps.connectors.pega.stages import Visited
from apps.core.attached_files import AttachedFile
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import POLICY, talk
from tests.connectors.pega_process import pega_a2a_spec, pega_process, pega_spec

BRIEF = AttachedFile(name="Zelle.pdf", content=b"%PDF-1.4 brief")
CREATE = "Create a new campaign called Weekend Saver & Friends. My name is Wanjiru Kamau and my phone is 0712 345 678."
FINISHED = "PXCONV-4081"


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with pega_process("--lag-s", "0.1") as address:
        yield address


@pytest.fixture(autouse=True)
def _no_tokens() -> None:
    oauth._tokens.clear()


def done(work: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with outbound_client(POLICY) as client:
            return await work(client)

    return asyncio.run(run())


def say(agent: Any, session: AgentSession, text: str, *files: AttachedFile) -> AgentReply:
    return talk(agent.spec, text, session=session, agent=agent, attachments=files)[0]


def auto_spec(base: str) -> AgentSpec:
    return AgentSpec(kind="auto", address="", connections={"agentx": pega_spec(base), "a2a": pega_a2a_spec(base)})


def test_the_first_turns_by_agentx(base: str) -> None:
    agent = AgentXAgent(pega_spec(base))
    session = done(lambda client: agent.open(AgentSession(), message_id="m", client=client))
    assert session.context_id.startswith("PXCONV-")
    assert "Welcome" in session.state["greeting"]
    first = say(agent, session, CREATE)
    second = say(agent, first.session, "", BRIEF)
    assert "created the campaign case" in first.text
    assert "Zelle.pdf" in second.text
    assert "Weekend Saver & Friends" in first.text
    found = done(lambda client: agent.look_again(second.session, client))
    assert [message.text for message in found if message.role is TurnRole.USER] == [CREATE, ""]
    assert found[-1].message_id == second.session.state["message_id"]
    done(lambda client: agent.close(second.session, client))
    with pytest.raises(AgentRefused, match="409"):
        say(agent, second.session, "still there?")


def test_auto_is_one_conversation_by_two_ways(base: str) -> None:
    agent = AutoAgent(auto_spec(base))
    assert isinstance(agent_for(auto_spec(base)), AutoAgent)
    first = say(agent, AgentSession(), CREATE)
    assert agent._agentx is None  # built only when used
    second = say(agent, first.session, "", BRIEF)
    third = say(agent, second.session, "I approve.")
    ids = {reply.session.context_id for reply in (first, second, third)}
    assert len(ids) == 1
    assert str(ids.pop()).startswith("PXCONV-")
    assert "Zelle.pdf" in second.text
    found = done(lambda client: agent.look_again(third.session, client))
    assert [message.text for message in found if message.role is TurnRole.USER] == [CREATE, "", "I approve."]
    assert third.session.state["message_id"] == found[-1].message_id
    assert third.session.state["turns"] == 3


def test_auto_goes_on_where_agentx_opened(base: str) -> None:
    agent = AutoAgent(auto_spec(base))
    session = done(lambda client: agent.open(AgentSession(), message_id="m", client=client))
    reply = say(agent, session, CREATE)
    assert reply.session.context_id == session.context_id
    assert reply.session.state["greeting"] == session.state["greeting"]


@pytest.mark.parametrize("missing", ["agentx", "a2a"])
def test_auto_needs_both_ways(base: str, missing: str) -> None:
    spec = auto_spec(base)
    left = {kind: way for kind, way in spec.connections.items() if kind != missing}
    with pytest.raises(BadInput, match=f"needs a connection of kind {missing}") as raised:
        agent_for(AgentSpec(kind="auto", address="", connections=left))
    assert raised.value.pointer == "/transport"


def test_a2a_says_in_words_what_it_cannot_send(base: str) -> None:
    agent = agent_for(pega_a2a_spec(base))
    reply = say(agent, say(agent, AgentSession(), CREATE).session, "", BRIEF)
    found = done(lambda client: AgentXAgent(pega_spec(base)).look_again(reply.session, client))
    assert found[-2].text == "[I have attached a file: Zelle.pdf]"


def test_the_finished_conversation_is_read_whole(base: str) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(seconds / 10)

    async def read(client: httpx.AsyncClient) -> Any:
        reader = PegaReader(pega_spec(base), sleep=sleep)
        found = await reader.conversation(FINISHED, client)
        stages = await reader.stages(found.case_key, client)
        return found, stages or await reader.stages(found.case_key, client), await reader.recent(client)

    found, stages, recent = done(read)
    assert waits[0] == 2.0
    assert set(waits[1:]) <= {2.0}
    assert len(found.messages) == 26
    assert found.messages[0].role is TurnRole.ASSISTANT
    assert found.messages[0].text.startswith("Welcome to Campaign Assistant.\nI can set up")
    assert [n for n, message in enumerate(found.messages) if message.role is TurnRole.USER and not message.text] == [
        3,
        22,
    ]
    assert "`Save &amp; win`" in found.messages[15].text
    assert {prefill.name for prefill in found.prefills} == {"ApprovalReference"}
    assert {prefill.name for prefill in found.earlier_prefills} == {"AudienceSize", "CostEstimate"}
    assert [stage.name for stage in stages] == ["Setup", "Brief", "Audience", "Content", "Review", "Launch"]
    assert {stage.visited for stage in stages} == {Visited.COMPLETED}
    assert FINISHED in recent


@pytest.mark.parametrize("fault", ["locked-once", "storm-423", "token-expires", "dies-mid-turn"])
def test_every_turn_arrives_once_through_a_fault(fault: str) -> None:
    lines = [CREATE, "", "I approve.", "Start on 2026-05-18 at 14:00, please.", "Yes, that's right.", "Move forward"]
    with pega_process("--fault", fault, "--lag-s", "0.1") as base:
        agent, session = AgentXAgent(pega_spec(base), sleep=_short), AgentSession()
        for line in lines:
            session = say(agent, session, line, *(() if line else (BRIEF,))).session
        found = done(lambda client: agent.look_again(session, client))
    assert [message.text for message in found if message.role is TurnRole.USER] == lines


def test_a_turn_that_was_lost_on_the_way_is_sent_again() -> None:
    with pega_process("--fault", "dies-mid-turn", "--variant", "dropped-turn-lost", "--lag-s", "0.1") as base:
        agent, session = AgentXAgent(pega_spec(base), sleep=_short), AgentSession()
        lines = [f"What does CPM mean? {n}" for n in range(6)]
        for line in lines:
            session = say(agent, session, line).session
        found = done(lambda client: agent.look_again(session, client))
    assert [message.text for message in found if message.role is TurnRole.USER] == lines


def test_the_wrong_application_is_named() -> None:
    with pega_process("--fault", "execution-error") as base:
        with pytest.raises(RemoteRefusal, match="has another application as its default access"):
            talk(pega_spec(base), "hello")
        assert talk(pega_a2a_spec(base), "hello")[0].text


def test_a_500_in_the_middle_is_the_agents_own() -> None:
    with pega_process("--fault", "storm-500") as base, pytest.raises(AgentFailed):
        talk(pega_spec(base), *(f"What does CPM mean? {n}" for n in range(4)))


VARIANTS = ("stages-b", "iso-dates", "needs-interaction-id", "create-short", "upload-200", "close-with-body")
VARIANTS += ("listing-bare", "node-starting", "no-attachment-names")


@pytest.mark.parametrize("variant", VARIANTS)
def test_either_reading_of_what_the_sheet_infers(variant: str) -> None:
    with pega_process("--variant", variant, "--lag-s", "0") as base:
        agent = AgentXAgent(pega_spec(base))
        first = say(agent, AgentSession(), CREATE, BRIEF)
        done(lambda client: agent.close(first.session, client))

        async def read(client: httpx.AsyncClient) -> Any:
            reader = PegaReader(pega_spec(base), sleep=_short)
            found = await reader.conversation(FINISHED, client, first_look_s=0)
            stages = [await reader.stages(found.case_key, client) for _ in range(2)][-1]
            return found, stages, await reader.recent(client)

        found, stages, recent = done(read)
    assert all(message.at is not None for message in found.messages)
    assert len(stages) == 6
    assert recent


async def _short(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.1))
