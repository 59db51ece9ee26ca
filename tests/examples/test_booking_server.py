"""The booking agent on the wire: the official client, our connector, its command line, and how it stops."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import jsonschema
import pytest
from a2a.client import ClientConfig, create_client
from a2a.helpers import new_text_message
from a2a.types import Role, SendMessageRequest

from apps.connectors.agents.base import AgentSpec
from examples.booking_agent.memory import Memory
from examples.booking_agent.server import Desk
from examples.booking_agent.weaknesses import Weakness
from tests.connectors.agents.conftest import talk
from tests.connectors.agents.test_a2a_tasks import schema
from tests.examples.conversations import ENGLISH, TODAY, chat

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "examples.booking_agent", "--today", TODAY.isoformat())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    process = subprocess.Popen([*COMMAND, "--port", "0"], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"booking agent ready at (http://127\.0\.0\.1:\d+)/\n", line)
    assert found, line
    yield found[1]
    started = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=10)
    assert rest == "", "one line, and no more"
    assert time.perf_counter() - started < 4


@pytest.mark.parametrize("dialect", ["1.0", "0.3"])
@pytest.mark.parametrize("stream", [False, True])
def test_our_connector_holds_the_conversation_the_agent_has_in_its_head(
    address: str, dialect: str, stream: bool
) -> None:
    spec = AgentSpec(kind="a2a", address=address, options={"dialect": dialect, "stream": stream}, timeout_s=10)
    replies, expected = talk(spec, *ENGLISH), chat(ENGLISH)
    assert [reply.text for reply in replies] == [answer.text for answer in expected]
    assert [call.name for reply in replies for call in reply.tool_calls] == [
        "free_slots",
        "book",
        "stk_push",
        "stk_status",
    ]
    assert replies[5].tool_calls[0].arguments == {"amount_kes": 3500, "phone": "customer"}
    assert [reply.ended for reply in replies] == [False] * 7 + [True]


@pytest.mark.parametrize("streaming", [False, True])
def test_the_official_client_holds_it_too(address: str, streaming: bool) -> None:
    async def conversation() -> list[str]:
        async with httpx.AsyncClient(timeout=10) as http:
            client = await create_client(address, ClientConfig(streaming=streaming, httpx_client=http))
            context_id, said = "", []
            for line in ENGLISH[:4]:
                message = new_text_message(line, role=Role.ROLE_USER, context_id=context_id)
                async for event in client.send_message(SendMessageRequest(message=message)):
                    context_id = event.message.context_id
                    said.append(event.message.parts[0].text)
            return said

    assert asyncio.run(conversation()) == [answer.text for answer in chat(ENGLISH[:4])]


@pytest.mark.shared
@pytest.mark.parametrize("path", ["agent-card.json", "agent.json"])
def test_its_card_is_at_both_places_and_fits_both_schemas(address: str, path: str) -> None:
    card = httpx.get(f"{address}/.well-known/{path}").json()
    old, new = schema("v0.3.0"), schema("v1.0.0")
    jsonschema.Draft202012Validator({**old, "$ref": "#/definitions/AgentCard"}).validate(card)
    fields = new["definitions"]["Agent Card"]["properties"]
    only_new = {key: value for key, value in card.items() if key in fields}
    jsonschema.Draft202012Validator({**new, "$ref": "#/definitions/Agent Card"}).validate(only_new)


def test_help_lists_the_weaknesses() -> None:
    text = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert all(weakness.value in text and weakness.damages in text for weakness in Weakness)


def test_a_taken_port_is_said_with_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = subprocess.run([*COMMAND, "--port", str(port)], capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 2
    assert str(port) in run.stderr
    assert "--port" in run.stderr


def test_an_unknown_weakness_is_wrong_use() -> None:
    run = subprocess.run(
        [*COMMAND, "--port", "0", "--weakness", "x"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert run.returncode == 2


def test_the_desk_forgets_the_conversation_untouched_for_longest() -> None:
    desk = Desk(limit=2)
    first = desk.memory("a")
    desk.memory("b")
    assert desk.memory("a") is first
    desk.memory("c")
    assert len(desk) == 2
    assert desk.memory("a") is first
    assert desk.memory("b") == Memory()
