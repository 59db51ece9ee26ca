"""The example agent, a real A2A process beside pytest, and a server that may reach no private host at all."""

import json
import sys
from dataclasses import replace

import pytest

from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from pytest_ratiba.client import RatibaClient, ServerError
from pytest_ratiba.scenarios import SCRIPTED_PERSONA, SCRIPTED_PERSONA_ENTRY
from pytest_ratiba.server import free_ports
from tests.journey.conftest import Machine
from tests.journey.test_first_verdict_by_clicks import serve
from tests.plugin.conftest import ROOT, UserProject, user_project  # noqa: F401 - a fixture

SCENARIO = """
id: braids
language: en
turns:
  - "Hello, how much is braiding?"
  - "Box braids please, on Friday at ten."
  - {end: true}
assertions:
  - {tool: free_slots, arguments: {service: box_braids, date: "2026-03-06"}}
  - {tool: stk_push, forbidden: true}
  - {ended: script_ended}
  - {contains: KES}
"""
GOLDEN = {
    "name": "prices",
    "turns": [
        {"role": "user", "content": "Hello, how much is braiding?"},
        {"role": "assistant", "content": "Box braids are KES 3,500.", "latency_ms": 4000},
    ],
}


def test_an_agent_beside_pytest_is_tested_by_a_server_that_may_not_dial_in(
    machine: Machine,
    fresh_tenant: str,
    user_project: UserProject,  # noqa: F811 - the fixture
) -> None:
    machine = replace(machine, env={**machine.env, "RATIBA_PRIVATE_HOSTS": ""})
    url = f"http://{fresh_tenant}.localhost:{serve(machine)}"
    key = machine.command("add_api_key", "--tenant", fresh_tenant).stdout.strip().splitlines()[-1]
    (port,) = free_ports(1)
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "examples.booking_agent", "--port", str(port), "--today", "2026-03-02"]
    start = {"command": command, "ready": f"{address}/.well-known/agent-card.json"}
    project = user_project
    project.timeout_s = 300
    path = f"{ROOT / 'plugin' / 'src'}:{ROOT}"
    project.variables |= {"RATIBA_URL": url, "RATIBA_API_KEY": key, "PYTHONPATH": path}
    project.write("ratiba.yaml", json.dumps({"agent": {"name": "salon", "address": address, "start": start}}))
    project.write("tests/eval/conversations/scenarios/braids.yaml", SCENARIO)
    project.write("golden.json", json.dumps(GOLDEN))
    project.write("test_golden_session.py", "from pytest_ratiba.golden_session import *  # noqa: F403\n")

    played = project.pytest("-v", "--golden", "golden.json", "--transport", "a2a", "--all-layers")
    assert "braids.yaml::braids PASSED" in played.stdout, played.stdout + played.stderr
    assert "test_latency_regression PASSED" in played.stdout
    with in_tenant(fresh_tenant):
        braids = Conversation.objects.get(external_id="braids")
        turns = list(braids.turns.order_by("position"))
        assert (braids.status, braids.blame) == ("ended", None)
        assert {run.plan["agent"]["kind"] for run in TestRun.objects.all()} == {"pulled"}
    roles = [turn.role for turn in turns]
    assert roles == ["user", "assistant", "user", "assistant", "tool", "assistant"]
    assert turns[3].tool_calls[0]["name"] == "free_slots"
    assert [turn.latency_ms is not None for turn in turns if turn.role == "assistant" and turn.content] == [True, True]

    client = RatibaClient(url, key)  # the same agent, dialled by this server: it may not
    braids_again = {"id": "braids", "persona": SCRIPTED_PERSONA, "language": "en", "turns": ["Hello", {"end": True}]}
    files = {"a.yaml": json.dumps(braids_again), "b.yaml": json.dumps({"personas": [SCRIPTED_PERSONA_ENTRY]})}
    with pytest.raises(ServerError, match="is not a public address"):
        client.start_battles(
            agent="salon",
            scenarios=["braids"],
            catalog={"files": files},
            connection={"kind": "a2a", "address": address},
        )
    client.close()
