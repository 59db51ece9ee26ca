"""An agent that the server knows is played as it stands there, and no row of the team's changes by a pytest run."""

import json
import shutil
from typing import Any

import pytest

from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import (
    Agent,
    AgentConnection,
    Criterion,
    EvaluatorConfig,
    GoldenSession,
    GoldenVersion,
    ModelProvider,
    Persona,
    ProfileVersion,
    PromptVersion,
    Scenario,
)
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from ratiba_eval.demo_campaign import CAMPAIGN, set_up_campaign
from tests.catalog.samples import NOW
from tests.examples.pega.calls import EXPECTED, process
from tests.guards.source import ROOT
from tests.journey.conftest import Machine
from tests.journey.test_first_verdict_by_clicks import serve
from tests.plugin.conftest import UserProject, user_project  # noqa: F401 - a fixture

TEAMS: tuple[Any, ...] = (
    Agent, AgentConnection, Criterion, EvaluatorConfig, GoldenSession, GoldenVersion, ModelProvider, Persona,
    ProfileVersion, PromptVersion, Scenario,
)  # fmt: skip
BY_RULE = ("latency_regression", "tool_invocations_match_golden", "case_lifecycle", "step_agents_detected")
JUDGED = ("knowledge_retention", "conversation_completeness", "role_adherence", "no_hallucination_per_turn")
SCENARIO = """
id: own_greeting
language: en
turns: [Hello, {end: true}]
assertions: [{ended: script_ended}]
"""


def team_rows(tenant: str) -> list[Any]:
    """Every row of what the team tests and judges with, whole; secrets as they are stored."""
    with in_tenant(tenant):
        return [row for model in TEAMS for row in model.objects.order_by("pk").values()]


def golden_of_campaign() -> dict[str, Any]:
    """The first two turns of the finished session, one with its file."""
    turns: list[dict[str, Any]] = [{"role": "assistant", "content": EXPECTED["greeting"]["reply"]}]
    for one in EXPECTED["turns"][:2]:
        user = {"role": "user", "content": one["input"]}
        if one["file_attachment"]:
            user["file_attachment"] = {
                **one["file_attachment"],
                "path": f"attachments/{one['file_attachment']['name']}",
            }
        turns += [
            user,
            {"role": "assistant", "content": one["reply"], "latency_ms": 60000, "expected_tools": one["tools"]},
        ]
    return {"name": "weekend", "turns": turns}


@pytest.fixture
def project(
    machine: Machine,
    fresh_tenant: str,
    user_project: UserProject,  # noqa: F811 - the fixture
) -> UserProject:
    """A repository with a scenario and a golden session, and a key as CI has it."""
    with in_tenant(fresh_tenant):
        load_pack("service-booking", at=NOW)
    key = machine.command("add_api_key", "--tenant", fresh_tenant).stdout.strip().splitlines()[-1]
    url = f"http://{fresh_tenant}.localhost:{serve(machine)}"
    user_project.timeout_s = 300
    user_project.variables |= {"RATIBA_URL": url, "RATIBA_API_KEY": key}
    user_project.write("golden/golden_weekend.json", json.dumps(golden_of_campaign()))
    shutil.copytree(ROOT / "examples" / "pega" / "attachments", user_project.folder / "golden" / "attachments")
    user_project.write("test_golden_session.py", "from pytest_ratiba.golden_session import *  # noqa: F403\n")
    user_project.write("bot.py", "def reply(messages, context):\n    return 'We are open from 9 to 18.'\n")
    return user_project


def test_the_eight_tests_by_every_way_to_the_servers_agent(project: UserProject, fresh_tenant: str) -> None:
    with process("--lag-s", "0", "--delay-s", "0-0.05") as base:
        with in_tenant(fresh_tenant):
            set_up_campaign(port=int(base.rpartition(":")[2]))
        before = team_rows(fresh_tenant)
        project.write("ratiba.yaml", f"agent: {{name: {CAMPAIGN}}}\n")
        for transport in ("", "agentx", "a2a", "auto"):
            way = ("--transport", transport) if transport else ()
            answer = project.pytest("-v", "test_golden_session.py", "--golden", "golden/golden_weekend.json", *way)
            said = answer.stdout + answer.stderr
            for name in BY_RULE:
                assert f"test_{name} PASSED" in said or f"test_{name} SKIPPED" in said, said
            for name in JUDGED:  # reached, and said: no model judges on this machine
                assert f"test_{name} ERROR" in said, said
            assert "no model is configured" in said
            with in_tenant(fresh_tenant):
                run = TestRun.objects.select_related("agent").latest("created_at")
                (played,) = Conversation.objects.filter(run=run)
            assert (run.agent.name, run.plan["transport"], played.status) == (CAMPAIGN, transport or "agentx", "ended")
        assert team_rows(fresh_tenant) == before


def test_a_repository_that_brings_its_own_agent_under_that_name_changes_no_row(
    project: UserProject, fresh_tenant: str
) -> None:
    with in_tenant(fresh_tenant):
        set_up_campaign(port=9999)
        Agent.objects.filter(name=CAMPAIGN).update(timeout_s=77, stagger_min_s=1, stagger_max_s=2, max_concurrent=3)
    before = team_rows(fresh_tenant)
    project.write("ratiba.yaml", f"agent: {{name: {CAMPAIGN}, callable: 'bot:reply'}}\nscenarios: talks\n")
    project.write("talks/own_greeting.yaml", SCENARIO)
    answer = project.pytest("-v", "talks")
    assert "own_greeting PASSED" in answer.stdout, answer.stdout + answer.stderr
    golden = project.pytest("-v", "test_golden_session.py", "--golden", "golden/golden_weekend.json")
    assert "test_latency_regression PASSED" in golden.stdout, golden.stdout + golden.stderr
    assert team_rows(fresh_tenant) == before
    with in_tenant(fresh_tenant):
        for run in TestRun.objects.all():
            assert (run.agent, run.plan["agent"]["kind"], run.plan["stagger_s"]) == (None, "pulled", [0, 0])
            assert run.subject["agent"] == CAMPAIGN
