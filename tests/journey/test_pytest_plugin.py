"""A user's repository, `ratiba-ci init`, a callable, `pytest`: a real web server and real workers play and judge."""

import json
import shutil
from collections.abc import Iterator

import pytest

from apps.checks.models import CheckResult
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.databases import own_database
from tests.guards.source import ROOT
from tests.journey.conftest import Machine
from tests.journey.test_first_verdict_by_clicks import serve
from tests.plugin.conftest import UserProject, user_project  # noqa: F401 - a fixture

GOLDEN = {
    "name": "weekend",
    "turns": [
        {"role": "user", "content": "Hello, when are you open?"},
        {"role": "assistant", "content": "We are open from 9 to 18, Monday to Saturday.", "latency_ms": 400},
    ],
}
AGENT = """
CALLS = [{"name": "charge_card", "arguments": {"amount": 5}}]


async def reply(messages, context):
    words = messages[-1]["content"]
    if "break" in words:
        raise ValueError("the till is stuck")
    text = "We are open from 9 to 18, Monday to Saturday."
    return {"content": text, "tool_calls": CALLS if "Charge" in words else []}
"""
CHARGED = """
id: charged
language: en
turns: [Charge my card., {end: true}]
assertions: [{tool: charge_card, forbidden: true}, {ended: script_ended}]
"""
BROKEN = """
id: broken
turns: [break, {end: true}]
assertions: [{ended: script_ended}]
"""
UNKNOWN = """
id: unknown
turns: [Hello, {end: true}]
assertions:
  - {contains: open}
  - {tool: x, match: exactly}
"""


def verdict_line(said: str) -> str:
    """The run, its verdicts and its cost, as pytest sums them up."""
    return next(line for line in said.splitlines() if line.startswith("ratiba: layer"))


def test_from_init_to_verdicts_of_the_servers_rows(
    machine: Machine,
    fresh_tenant: str,
    user_project: UserProject,  # noqa: F811 - the fixture
) -> None:
    url = f"http://{fresh_tenant}.localhost:{serve(machine)}"
    key = machine.command("add_api_key", "--tenant", fresh_tenant).stdout.strip().splitlines()[-1]
    project = user_project
    project.timeout_s = 300
    assert project.command("init", "--callable", "agent:reply").returncode == 0
    project.variables |= {"RATIBA_URL": url, "RATIBA_API_KEY": key}

    first = project.pytest("-v")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "first.yaml::opening_hours PASSED" in first.stdout

    project.write("agent.py", AGENT)
    folder = "tests/eval/conversations/scenarios"
    project.write(f"{folder}/charged.yaml", CHARGED)
    project.write(f"{folder}/broken.yaml", BROKEN)
    second = project.pytest("-v", "-k", "charged or broken or opening_hours")
    assert "charged.yaml::charged FAILED" in second.stdout, second.stdout + second.stderr
    assert "charge_card is forbidden and was called." in second.stdout
    assert "the till is stuck" in second.stdout
    assert "opening_hours PASSED" in second.stdout

    run_id, said = second.stdout.partition(", test run ")[2].split(":")[0], second.stdout
    project.write("agent.py", "raise SystemExit('nobody is asked')\n")
    reread = project.pytest("-v", "-k", "charged or broken or opening_hours", "--test-run", run_id)
    assert "charged.yaml::charged FAILED" in reread.stdout, reread.stdout + reread.stderr
    assert verdict_line(reread.stdout) == verdict_line(said)
    project.write("agent.py", AGENT)

    with in_tenant(fresh_tenant):
        rows = CheckResult.objects.values_list("conversation__external_id", "check_name", "outcome")
        assert ("charged", "ScenarioToolsMetric", "fail") in set(rows)
        assert Conversation.objects.get(external_id="broken").error_message
        assert {run.subject["agent"] for run in TestRun.objects.all()} == {"agent"}

    project.write("tests/eval/golden_weekend.json", json.dumps(GOLDEN))
    project.write("test_golden_session.py", "from pytest_ratiba.golden_session import *  # noqa: F403\n")
    golden = project.pytest("-v", "test_golden_session.py", "--golden", "tests/eval/golden_weekend.json")
    assert "test_latency_regression PASSED" in golden.stdout, golden.stdout + golden.stderr
    assert "test_role_adherence ERROR" in golden.stdout  # no model is configured: nobody passes in silence

    for name in ("charged", "broken"):
        (project.folder / folder / f"{name}.yaml").unlink()
    project.write(f"{folder}/unknown.yaml", UNKNOWN)
    refused = project.pytest("-q")
    assert "unknown.yaml:5: /assertions/1/match: 'exactly' is none of exact, subset, regex" in refused.stdout, (
        refused.stdout
    )
    assert "Traceback" not in refused.stdout


@pytest.fixture
def repository_database() -> Iterator[str]:
    """Of the agent's repository: the server's own tables change while its workers look for work."""
    with own_database("layers") as address:
        yield address


def test_the_example_repository_plays_layers_4_and_5_from_recordings(
    machine: Machine,
    fresh_tenant: str,
    user_project: UserProject,  # noqa: F811 - the fixture
    repository_database: str,
) -> None:
    """Two scenarios of each layer; their rows stand in schemas of their own, which are gone afterwards."""
    url = f"http://{fresh_tenant}.localhost:{serve(machine)}"
    key = machine.command("add_api_key", "--tenant", fresh_tenant).stdout.strip().splitlines()[-1]
    project = user_project
    project.timeout_s = 300
    ignored = shutil.ignore_patterns("__pycache__", ".ratiba", "var", ".venv", ".server")
    shutil.copytree(ROOT / "examples" / "langgraph_booking", project.folder, ignore=ignored, dirs_exist_ok=True)
    project.variables |= {"RATIBA_URL": url, "RATIBA_API_KEY": key, "RATIBA_TEST_DATABASE_URL": repository_database}
    played = project.pytest("-q", "--layer", "4-5", "--limit", "2")
    assert "4 passed" in played.stdout, played.stdout + played.stderr
    assert "4 scenario schemas" in played.stdout
    assert "recorded" not in played.stdout
    with in_tenant(fresh_tenant):
        names = set(Conversation.objects.values_list("external_id", flat=True))
    assert names == {
        "cancelled_on_the_phone.closed", "cancelled_on_the_phone.failed", "production_money_came_back",
        "production_paid_with_the_wrong_phone",
    }  # fmt: skip
