"""AgentX against recorded shapes: one delivery of every turn whatever happens, and errors that say what to do."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from apps.connectors.addresses import OutboundPolicy
from apps.connectors.agents import oauth
from apps.connectors.agents.agentx import AgentXAgent
from apps.connectors.agents.base import AgentSession, AgentSpec
from apps.connectors.agents.capabilities import (
    ClosesConversations,
    KeepsTranscript,
    OpensConversations,
    TakesUploads,
    TranscriptMessage,
)
from apps.connectors.agents.named_secrets import missing_secrets
from apps.connectors.agents.registry import agent_for, check_settings
from apps.connectors.errors import AgentFailed, AgentRefused, ConnectorError, RateLimited, RemoteRefusal, Unreachable
from apps.connectors.outbound import outbound_client
from apps.core.attached_files import AttachedFile
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput
from apps.runs.services.conversation_player import error_words
from tests.connectors.agents.conftest import POLICY, talk
from tests.connectors.agents.pega_bot import AGENT, EXECUTION_ERROR, PREFIX, TOKEN_PATH, PegaBot
from tests.loopback.http_server import Answer, LoopbackServer

LOCKED = Answer(status=423, body=b'{"localizedValue": "locked"}')
FAILED = Answer(status=500, body=json.dumps(EXECUTION_ERROR).encode())
ZELLE = AttachedFile(name="Zelle.pdf", content=b"%PDF-1.4 zelle")


@pytest.fixture
def spec(pega_server: LoopbackServer) -> Callable[..., AgentSpec]:
    def made(**more: Any) -> AgentSpec:
        options = {"agent_name": AGENT, "look_again_s": 0.01, **more.pop("options", {})}
        return AgentSpec(
            kind="agentx", address=pega_server.url + PREFIX, options=options, **{"timeout_s": 10.0, **more}
        )

    oauth._tokens.clear()
    return made


class Pauses:
    """Stands in for sleeping: keeps what was waited for, and does not wait."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


def customer_turns(bot: PegaBot) -> list[str]:
    (messages,) = bot.messages.values()
    return [message["content"] for message in messages if message["role"] == "USER"]


async def _with_client(work: Callable[[httpx.AsyncClient], Any]) -> Any:
    async with outbound_client(POLICY) as client:
        return await work(client)


def test_it_offers_all_that_a_pega_can(spec: Callable[..., AgentSpec]) -> None:
    agent = agent_for(spec())
    for capability in (KeepsTranscript, OpensConversations, TakesUploads, ClosesConversations):
        assert isinstance(agent, capability)
    assert not isinstance(agent_for(AgentSpec(kind="scripted", address="")), KeepsTranscript)


def test_the_wire_is_the_sheets(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    options = {"create": {"enableTracer": True}, "message": {"capabilities": {}}}
    reply = talk(spec(options=options), "hello", attachments=(ZELLE,))[0]
    create, upload, patch = pega.requests
    assert create.path == upload.path.replace("/attachments/upload", f"/ai-agents/{AGENT}/conversations")
    assert json.loads(create.body) == {
        "contextID": "ours", "interactionID": "ours", "executeStarterQuestion": False, "enableTracer": True,
    }  # fmt: skip
    assert upload.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="Zelle.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4 zelle' in upload.body
    (file_id,) = pega.files
    attached = {"type": "File", "category": "File", "ID": file_id, "name": "Zelle.pdf"}
    assert json.loads(patch.body) == {"Request": "hello", "Attachments": [attached], "capabilities": {}}
    assert reply.raw["messageID"] == reply.session.state["message_id"]
    assert reply.session.state["greeting"] == "Welcome"
    assert reply.session.context_id == next(iter(pega.messages))


def test_a_silent_upload_has_no_words(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    talk(spec(), "", attachments=(ZELLE,))
    assert pega.patches[0]["Request"] == ""
    assert len(pega.patches[0]["Attachments"]) == 1


@pytest.mark.parametrize(
    "lost, timed_out", [("reset", False), ("hang", True), ("cut", False)], ids=["hung up", "no answer", "cut off"]
)
@pytest.mark.parametrize("lag", [0, 3])
def test_a_turn_whose_answer_got_lost_is_not_sent_again(
    spec: Callable[..., AgentSpec], pega: PegaBot, lost: str, timed_out: bool, lag: int
) -> None:
    pega.next_answers, pega.lag = [None, lost], 0
    agent = agent_for(spec(timeout_s=0.5 if timed_out else 10.0))
    (first,) = talk(agent.spec, "I approve.", agent=agent)
    pega.lag = lag
    second, third = talk(agent.spec, "I approve.", "and now?", agent=agent, session=first.session)
    assert [second.text, third.text] == ["you said: I approve. (turn 2)", "you said: and now? (turn 3)"]
    assert second.raw["looked_up"]
    assert customer_turns(pega) == ["I approve.", "I approve.", "and now?"]
    assert len(pega.patches) == 3


def test_a_turn_that_did_not_arrive_goes_out_once_more(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    pega.next_answers = ["not taken"]
    assert talk(spec(), "hello")[0].text == "you said: hello (turn 1)"
    assert [patch["Request"] for patch in pega.patches] == ["hello", "hello"]
    pega.next_answers = ["not taken", "not taken"]
    with pytest.raises(Unreachable):
        talk(spec(), "hello")


def test_after_a_lost_answer_a_lock_means_that_the_turn_is_at_work(
    spec: Callable[..., AgentSpec], pega: PegaBot
) -> None:
    pega.next_answers, pega.lag = ["reset", LOCKED], 5  # four looks see nothing, the lock, then the reply is there
    assert talk(spec(), "hello")[0].text == "you said: hello (turn 1)"
    assert customer_turns(pega) == ["hello"]


def test_a_gateways_timeout_is_looked_up_too(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    pega.next_answers = [Answer(status=504, body=b"gateway")]
    with pytest.raises(ConnectorError, match="504"):
        talk(spec(), "hello")
    assert len(pega.patches) == 1
    assert sum(request.method == "GET" for request in pega.requests) == 4


def test_a_lock_is_waited_for_with_growing_pauses(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    pega.next_answers = [LOCKED] * 6
    pauses = Pauses()
    assert talk(spec(), "hello", agent=AgentXAgent(spec(), sleep=pauses))[0].text == "you said: hello (turn 1)"
    assert pauses.waits == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
    assert customer_turns(pega) == ["hello"]


def test_a_lock_that_stays_ends_with_the_turns_time(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    pega.next_answers = [LOCKED] * 100
    with pytest.raises(Unreachable, match="still locked by another request after 1 s") as raised:
        talk(spec(timeout_s=1.0), "hello")
    assert raised.value.timed_out
    assert not raised.value.sent
    assert len(pega.patches) == 2


def test_the_wrong_application_is_explained(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    pega.create_answers = [FAILED]
    with pytest.raises(RemoteRefusal, match="default access: set it to the application that holds the agent rule"):
        talk(spec(), "hello")
    pega.next_answers = [FAILED]
    with pytest.raises(RemoteRefusal, match="Execution error"):
        talk(spec(), "hello")
    pega.next_answers = [None, FAILED]
    with pytest.raises(AgentFailed, match="Execution error"):  # it has answered before: its own failure
        talk(spec(), "hello", "again")


def test_a_closed_conversation_says_so(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    agent = agent_for(spec())
    assert isinstance(agent, AgentXAgent)
    (reply,) = talk(spec(), "hello", agent=agent)

    async def closed(client: httpx.AsyncClient) -> None:
        await agent.close(reply.session, client)
        await agent.close(reply.session, client)
        await agent.close(AgentSession(context_id="never opened"), client)

    asyncio.run(_with_client(closed))
    assert len(pega.closed) == 1
    with pytest.raises(AgentRefused, match=r"has closed the conversation \(409\): Conversation is closed"):
        talk(spec(), "more", session=reply.session)


def test_the_transcript_has_roles_ids_and_times(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    agent = agent_for(spec())
    assert isinstance(agent, AgentXAgent)
    (reply,) = talk(spec(), "hello", agent=agent)
    found = asyncio.run(_with_client(lambda client: agent.look_again(reply.session, client)))
    assert [(message.role, message.text) for message in found] == [
        (TurnRole.ASSISTANT, "Welcome"), (TurnRole.USER, "hello"), (TurnRole.ASSISTANT, "you said: hello (turn 1)"),
    ]  # fmt: skip
    assert found[-1].message_id == reply.session.state["message_id"]
    assert found[0].at is not None
    assert found[0].at.isoformat() == "2026-11-20T10:00:00+00:00"
    assert asyncio.run(_with_client(lambda client: agent.look_again(AgentSession(), client))) == ()


def test_a_conversation_whose_opening_got_lost_is_found_again(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    pega.create_answers = ["reset"]
    assert talk(spec(), "hello")[0].text == "you said: hello (turn 1)"
    assert len(pega.messages) == 1


class TestTokens:
    """One token for all calls; a refused one is renewed once."""

    @pytest.fixture
    def secured(self, spec: Callable[..., AgentSpec], pega: PegaBot) -> AgentSpec:
        pega.needs_token = True
        return spec(options={"client_id": "ci"}, secrets={"client_secret": "hush"})

    def fetches(self, bot: PegaBot) -> int:
        return sum(request.path == TOKEN_PATH for request in bot.requests)

    def test_one_token_serves_the_conversation(self, secured: AgentSpec, pega: PegaBot) -> None:
        talk(secured, "hello", "again", attachments=(ZELLE,))
        assert self.fetches(pega) == 1
        assert b"client_id=ci" in pega.requests[0].body

    def test_an_expired_token_is_renewed_and_the_turn_sent_once(self, secured: AgentSpec, pega: PegaBot) -> None:
        (first,) = talk(secured, "hello")
        pega.tokens.clear()
        assert talk(secured, "again", session=first.session)[0].text == "you said: again (turn 2)"
        assert self.fetches(pega) == 2
        assert customer_turns(pega) == ["hello", "again"]

    def test_a_token_that_is_never_accepted_is_refused_in_words(self, secured: AgentSpec, pega: PegaBot) -> None:
        pega.tokens = Forgetful()
        with pytest.raises(RemoteRefusal, match=r"did not accept our token \(401\): Unauthorized"):
            talk(secured, "hello")
        assert self.fetches(pega) == 2

    def test_an_agent_without_a_secret_is_told_so(self, spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
        pega.needs_token = True
        with pytest.raises(RemoteRefusal, match="there is no secret to get one with") as raised:
            talk(spec(options={"client_id": "ci"}), "hello")
        assert "accept our token" not in str(raised.value)
        words = error_words(raised.value, agent_for(spec(options={"client_id": "ci"})))
        assert words.startswith("the secret 'client_secret' is not entered: set_secret --agent")
        both = AgentSpec(kind="auto", address="", connections={"agentx": spec(options={"client_id": "ci"})})
        assert missing_secrets(both) == ("client_secret",)


class Forgetful(set[str]):
    """Tokens that are worth nothing from the start."""

    def add(self, token: str) -> None:
        pass


@pytest.mark.parametrize(
    "options, pointer",
    [
        ({"agent_name": ""}, "/options/agent_name"),
        ({"create": []}, "/options/create"),
        ({"message": "x"}, "/options/message"),
        ({"look_again_s": True}, "/options/look_again_s"),
        ({"look_again_s": 61}, "/options/look_again_s"),
        ({"agentname": "x"}, "/options/agentname"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(
    spec: Callable[..., AgentSpec], options: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(BadInput) as raised:
        check_settings(spec(options=options), OutboundPolicy())
    assert raised.value.pointer == pointer


def test_a_turn_has_two_minutes_where_nobody_chose(spec: Callable[..., AgentSpec]) -> None:
    assert AgentXAgent(spec(timeout_s=60.0)).reply_within_s == 120.0
    assert AgentXAgent(spec(timeout_s=45.0)).reply_within_s == 45.0


def test_a_rate_limit_goes_up_as_one(spec: Callable[..., AgentSpec], pega: PegaBot) -> None:
    pega.next_answers = [Answer(status=429, headers={"retry-after": "3"})]
    with pytest.raises(RateLimited) as raised:
        talk(spec(), "hello")
    assert raised.value.retry_after == 3.0


def test_a_session_behind_a_transcript_counts_its_turns_and_knows_its_last_message() -> None:
    """Whoever goes on after a lost worker: a lost answer is looked up behind these messages, not among them."""
    session = AgentSession(context_id="PXCONV-1", state={"theirs": True, "turns": 1, "message_id": "M-2"})
    roles = [TurnRole.ASSISTANT, TurnRole.USER, TurnRole.ASSISTANT, TurnRole.USER, TurnRole.ASSISTANT]
    messages = [TranscriptMessage(role=role, text="words", message_id=f"M-{at}") for at, role in enumerate(roles)]
    after = AgentXAgent.session_after(session, messages)
    assert after.state == {"theirs": True, "turns": 2, "message_id": "M-4"}
    assert AgentXAgent.session_after(session, ()).state == {"theirs": True, "turns": 0}
