"""The tests of a golden session: one replay, a row each; by options, by variables, and under deepeval."""

import base64
import json
import sys

import pytest

from pytest_ratiba.agents import chosen_agent
from pytest_ratiba.config import read_project
from pytest_ratiba.subjects import replay_way
from tests.plugin.stub_server import StubServer

CHECKS = (
    "knowledge_retention", "conversation_completeness", "role_adherence", "no_hallucination_per_turn",
    "tool_invocations_match_golden", "latency_regression", "case_lifecycle", "step_agents_detected",
    "figures_match_golden",
)  # fmt: skip
GOLDEN = {
    "name": "weekend",
    "turns": [
        {"role": "user", "content": "Habari", "file_attachment": {"path": "note.txt", "name": "note.txt"}},
        {"role": "assistant", "content": "Karibu"},
    ],
}
LOOPBACK = {"kind": "a2a", "address": "http://127.0.0.1:9/a", "runner": True}


@pytest.fixture
def stub():
    server = StubServer()
    server.golden_outcomes = dict.fromkeys(CHECKS, "pass")
    yield server
    server.close()


@pytest.fixture
def project(user_project, stub):
    user_project.write("ratiba.yaml", "agent: {callable: 'bot:reply', name: concierge}\n")
    user_project.write("bot.py", "def reply(messages, context):\n    return 'Karibu'\n")
    user_project.write("test_golden_session.py", "from pytest_ratiba.golden_session import *  # noqa: F403\n")
    user_project.write("golden_sessions/golden_weekend.json", json.dumps(GOLDEN))
    user_project.write("golden_sessions/attachments/note.txt", "Paid.")
    user_project.write("project_config.json", '{"agent_identity": {"role": "a booking assistant"}}')
    user_project.variables |= {"RATIBA_URL": stub.url, "RATIBA_API_KEY": "rk_x"}
    return user_project


def test_each_test_shows_the_row_of_its_check(project, stub):
    stub.golden_outcomes |= {
        "role_adherence": "fail", "case_lifecycle": "skipped", "knowledge_retention": "unmeasurable",
    }  # fmt: skip
    options = ("--golden", "golden_sessions/golden_weekend.json", "--project-config", "project_config.json")
    answer = project.pytest("-v", "-rs", *options, "--all-layers")
    assert "6 passed, 1 skipped, 1 failed, 1 error" in answer.stdout or (
        "1 failed, 6 passed, 1 skipped, 1 error" in answer.stdout
    ), answer.stdout
    assert "test_role_adherence FAILED" in answer.stdout
    assert "role_adherence: fail: why role_adherence" in answer.stdout
    assert "test_knowledge_retention ERROR" in answer.stdout
    (sent,) = dict(stub.posted)["/test-runs/"]["catalog"]["golden_sessions"]
    assert json.loads(sent["files"]["golden_weekend.json"])["profile"] == "project_config.json"
    assert base64.b64decode(sent["attachments"]["note.txt"]) == b"Paid."
    started = [body for path, body in stub.posted if path == "/test-runs/"]
    assert [(one["kind"], one["golden_sessions"], one["connection"]) for one in started] == [
        ("replay", ["weekend"], {"kind": "pulled"})
    ]
    assert {path.split("/")[1] for path, _ in stub.posted} <= {"test-runs", "pulled-turns"}


def test_variables_say_the_same_and_a_name_is_the_servers(project, stub):
    stub.scenarios["weekend"] = {"id": "weekend", "turns": ["Habari"]}
    project.variables |= {"RATIBA_GOLDEN": "weekend", "RATIBA_TRANSPORT": "auto"}
    assert "9 passed" in project.pytest("-q").stdout
    started = dict(stub.posted)["/test-runs/"]
    assert (started["golden_sessions"], "catalog" in started) == (["weekend"], False)


@pytest.mark.parametrize(
    "agent, transport, way",
    [
        ("{callable: 'own:reply'}", "", {"connection": {"kind": "pulled"}}),
        ("{callable: 'own:reply'}", "auto", {"connection": {"kind": "pulled"}}),
        ("{callable: 'own:reply'}", "agentx", {"transport": "agentx"}),  # a way of the server's agent of that name
        ("{}", "", {}),
        ("{}", "agentx", {"transport": "agentx"}),
        ("", "auto", {"transport": "auto"}),
        ("{address: 'http://127.0.0.1:9/a', kind: a2a}", "", {"connection": LOOPBACK}),
        ("{address: 'http://127.0.0.1:9/a', kind: a2a}", "auto", {"connection": LOOPBACK, "transport": "auto"}),
        ("{address: 'http://127.0.0.1:9/a', kind: a2a}", "agentx", {"transport": "agentx"}),
        ("{address: 'http://127.0.0.1:9/a', kind: a2a}", "pulled", {"connection": {"kind": "pulled"}}),
    ],
)
def test_a_replay_says_how_it_goes_and_the_server_knows_the_rest(project, agent, transport, way):
    project.write("ratiba.yaml", f"agents:\n  shop: {agent}\n")
    assert replay_way(chosen_agent(read_project(project.folder)), transport) == way


@pytest.mark.parametrize(
    "options, says",
    [
        (("--golden", "nowhere.json"), "--golden cannot be read"),
        (("--golden", "weekend", "--transport", "pigeon"), "--transport 'pigeon' is one of auto"),
    ],
)
def test_what_is_missing_or_wrong_is_named(project, options, says):
    answer = project.pytest("-q", *options)
    assert answer.returncode == 1
    assert says in answer.stdout
    assert "Traceback" not in answer.stdout


def test_without_a_golden_session_they_are_skipped_and_say_so(project):
    answer = project.pytest("-q", "-rs")
    assert "9 skipped" in answer.stdout
    assert "no golden session is named: --golden FILE or RATIBA_GOLDEN" in answer.stdout


def test_deepeval_runs_them_by_variables(project, stub):
    project.variables |= {
        "RATIBA_GOLDEN": "golden_sessions/golden_weekend.json", "PYTEST_ADDOPTS": "-p pytest_ratiba.entry",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_DISABLE_DOTENV": "1", "DEEPEVAL_FILE_SYSTEM": "READ_ONLY",
    }  # fmt: skip
    program = "from deepeval.cli.main import app; app()"
    answer = project._run(sys.executable, "-c", program, "test", "run", "test_golden_session.py")
    assert "9 passed" in answer.stdout, answer.stdout + answer.stderr
