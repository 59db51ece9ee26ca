"""The example agent, traced by the decorators of Langfuse's SDK: from its own process to turns in the tenant."""

import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from apps.connectors.agents.base import AgentSpec
from apps.production.models import ProductionConversation
from apps.runs.models import Turn
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.test_otlp import PROTOBUF, work
from tests.connectors.agents.conftest import talk
from tests.loopback.http_server import Answer, LoopbackServer, Request

CHECKOUT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "examples.booking_agent", "--today", "2026-03-02", "--port", "0")
SAID = ("Hi, are you free on Friday for box braids?", "Ten o'clock. My number is +254 712 345 678")


def test_replies_and_tool_calls_of_a_decorated_agent_become_one_masked_conversation(acme: Door) -> None:
    got: list[Request] = []

    def take(request: Request) -> Answer:
        got.append(request)
        return Answer(content_type=PROTOBUF)

    with LoopbackServer(take) as server:
        sending = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{server.url}/api/v1/otlp",
            "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{acme.bearer}",
        }
        argv, environment = COMMAND, {**os.environ, **sending}
        process = subprocess.Popen(argv, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, env=environment)
        assert process.stdout is not None
        ready = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert ready
        replies = talk(AgentSpec(kind="a2a", address=ready[0], timeout_s=30), *SAID)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert got, "what was traced is sent before the agent ends"
    for request in got:
        door = Door("acme", request.headers["authorization"].removeprefix("Bearer "))
        answer = door.post(request.path, request.body, media=request.headers["content-type"])
        assert (answer.status_code, answer.content) == (200, b"")
    work(datetime.now(UTC) + timedelta(minutes=2))
    with in_tenant("acme"):
        (row,) = ProductionConversation.objects.all()
        turns = list(Turn.objects.filter(conversation=row.conversation).order_by("position"))
    said = [turn.content for turn in turns if turn.role == "user"]
    assert said == [SAID[0], "Ten o'clock. My number is +254 7** *** 678"]
    assert [turn.content for turn in turns if turn.role == "assistant" and turn.content] == [r.text for r in replies]
    called = [call["name"] for turn in turns for call in turn.tool_calls or ()]
    assert called == [call.name for reply in replies for call in reply.tool_calls] == ["free_slots"]
