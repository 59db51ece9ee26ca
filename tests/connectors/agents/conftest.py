"""Loopback agents of every kind, and one way to talk to them."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from apps.connectors.agents import oauth
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec, AgentTurn
from apps.connectors.agents.registry import agent_for
from apps.connectors.outbound import OutboundPolicy, outbound_client
from tests.connectors.agents.pega_bot import AGENT, PREFIX, PegaBot
from tests.connectors.agents.puppets import HTTP_OPTIONS, SCRIPT, HTTPBot
from tests.connectors.agents.sdk_server import SDKServer
from tests.loopback.http_server import LoopbackServer

POLICY = OutboundPolicy(private_hosts=("loopback",), purpose="agent")
KINDS = ("a2a-1.0", "a2a-0.3", "a2a-1.0-stream", "a2a-0.3-stream", "agentx", "http", "scripted")


def talk(
    spec: AgentSpec, *texts: str, session: AgentSession | None = None, agent: Any = None, **more: Any
) -> list[AgentReply]:
    """Say the texts one after the other in one conversation, through the guarded client."""

    async def conversation() -> list[AgentReply]:
        connector = agent or agent_for(spec)
        state, replies = session or AgentSession(context_id="ours"), []
        async with outbound_client(POLICY) as client:
            for n, text in enumerate(texts):
                turn = AgentTurn(text=text, session=state, message_id=f"m{n}", **more)
                reply = await connector.send(turn, client=client)
                state = reply.session
                replies.append(reply)
        return replies

    return asyncio.run(conversation())


@pytest.fixture(scope="session")
def sdk_server() -> Iterator[SDKServer]:
    with SDKServer() as server:
        yield server


@pytest.fixture
def sdk(sdk_server: SDKServer) -> SDKServer:
    sdk_server.puppet.heard.clear()
    sdk_server.door.__init__(sdk_server.door.app)  # type: ignore[misc]
    oauth._tokens.clear()
    return sdk_server


@pytest.fixture
def bot() -> HTTPBot:
    return HTTPBot()


@pytest.fixture
def bot_server(bot: HTTPBot) -> Iterator[LoopbackServer]:
    with LoopbackServer(bot) as server:
        yield server


@pytest.fixture
def pega() -> PegaBot:
    return PegaBot()


@pytest.fixture
def pega_server(pega: PegaBot) -> Iterator[LoopbackServer]:
    with LoopbackServer(pega) as server:
        yield server


@pytest.fixture(params=KINDS)
def make_spec(
    request: pytest.FixtureRequest, sdk: SDKServer, bot_server: LoopbackServer, pega_server: LoopbackServer
) -> Callable[..., AgentSpec]:
    """A spec of each kind for an agent that behaves alike."""
    kind: str = request.param

    def spec(*, timeout_s: float = 10.0) -> AgentSpec:
        if kind.startswith("a2a"):
            options = {"dialect": kind.split("-")[1], "stream": kind.endswith("stream"), "poll_s": 0.05}
            return AgentSpec(kind="a2a", address=sdk.base, options=options, timeout_s=timeout_s)
        if kind == "agentx":
            options = {"agent_name": AGENT, "look_again_s": 0.01}
            return AgentSpec(kind=kind, address=pega_server.url + PREFIX, options=options, timeout_s=timeout_s)
        if kind == "http":
            return AgentSpec(kind="http", address=bot_server.url + "/chat", options=HTTP_OPTIONS, timeout_s=timeout_s)
        return AgentSpec(kind="scripted", address="", options=SCRIPT, timeout_s=timeout_s)

    return spec


@pytest.fixture
def deliveries(sdk: SDKServer, bot: HTTPBot, pega: PegaBot) -> Callable[[], int]:
    """How many turns have arrived at the servers."""
    return lambda: len(sdk.puppet.heard) + len(bot.requests) + len(pega.patches)
