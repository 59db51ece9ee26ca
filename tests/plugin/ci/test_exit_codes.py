"""Exit codes of `ratiba-ci gate`: 2 for what its user can mend, 3 for what could not be measured, never 1 for those."""

from pathlib import Path

import pytest

from pytest_ratiba.ci.gate import key_notice
from tests.loopback.http_server import Answer, LoopbackServer
from tests.plugin.ci.conftest import Repository

CONFIG = """
agents:
  front: {callable: "bot:reply", prompts: ["prompts/front.md"]}
  back: {callable: "bot:reply", prompts: ["prompts/back.md"]}
evaluator_config: booking-quality
"""
CASE = "id: one\nagent: front\nlanguage: en\nopening: Hello\nturns: [{end: true}]\n"


@pytest.fixture
def change(repository: Repository) -> Repository:
    cases = "tests/eval/conversations/scenarios/one.yaml"
    repository.commit(
        {"ratiba.yaml": CONFIG, "prompts/front.md": "Hi\n", "prompts/back.md": "Hi\n", cases: CASE}, "start"
    )
    repository.branch("change")
    repository.project.variables |= {"RATIBA_URL": "http://127.0.0.1:9", "RATIBA_API_KEY": "rk_x"}
    return repository


def test_a_server_that_is_away_is_unmeasurable(change: Repository) -> None:
    change.commit({"prompts/front.md": "Hello\n"})
    done = change.project.command("gate", "--base", "main", "--summary", "summary.md")
    assert done.returncode == 3, done.stderr
    assert "unmeasurable: front: http://127.0.0.1:9 does not answer" in done.stdout
    assert "could not be measured" in (change.folder / "summary.md").read_text()


def test_a_page_of_a_proxy_is_no_answer(change: Repository) -> None:
    change.commit({"prompts/front.md": "Hello\n"})
    with LoopbackServer(lambda request: Answer(body=b"<h1>Sign in</h1>", content_type="text/html")) as server:
        change.project.variables["RATIBA_URL"] = server.url
        done = change.project.command("gate", "--base", "main")
    assert done.returncode == 3, done.stderr
    assert "is that address a Ratiba?" in done.stdout


def test_of_several_agents_one_that_is_configured_wrongly_ends_with_2_and_each_says_what_it_is(
    change: Repository,
) -> None:
    change.commit({"prompts/front.md": "Hello\n", "prompts/back.md": "Hello\n"})
    done = change.project.command("gate", "--base", "main")
    assert done.returncode == 2, done.stderr
    assert "unmeasurable: front: " in done.stdout
    assert "unmeasurable: back: no scenario is played with agent 'back'" in done.stdout


def test_a_wrong_configuration_ends_an_advisory_gate_too(change: Repository) -> None:
    change.commit({"bot.py": "x = 1\n"})
    done = change.project.command("gate", "--base", "main", "--need", "advisory")
    assert "unmeasurable: front: " in done.stdout
    assert done.returncode == 2


def test_a_failure_of_our_own_is_not_called_worse(change: Repository) -> None:
    change.commit({"prompts/front.md": "Hello\n"})
    nonsense = Answer(body=b'{"results": [{"evaluator_config": 7}]}', content_type="application/json")
    with LoopbackServer(lambda request: nonsense) as server:
        change.project.variables["RATIBA_URL"] = server.url
        done = change.project.command("gate", "--base", "main")
    assert done.returncode == 3, done.stderr
    assert "Traceback" in done.stderr


def test_without_an_evaluator_config_it_says_so_before_anything_is_played(repository: Repository) -> None:
    cases = "tests/eval/conversations/scenarios/one.yaml"
    config = CONFIG.replace("evaluator_config: booking-quality\n", "")
    repository.commit({"ratiba.yaml": config, "prompts/front.md": "Hi\n", cases: CASE}, "start")
    repository.branch("change")
    repository.commit({"prompts/front.md": "Hello\n"})
    with LoopbackServer(lambda request: Answer(body=b'{"results": []}')) as server:
        repository.project.variables |= {"RATIBA_URL": server.url, "RATIBA_API_KEY": "rk_x"}
        done = repository.project.command("gate", "--base", "main")
    assert done.returncode == 2, done.stderr
    assert "unmeasurable: front: nobody would judge: name an `evaluator_config` of the server's" in done.stdout
    assert "playing" not in done.stderr


def test_a_gate_that_runs_the_pull_requests_code_as_root_says_that_the_key_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RATIBA_AGENT_PREFIX", raising=False)
    assert "RATIBA_AGENT_PREFIX" in key_notice(effective_user=0, folder=tmp_path)
    assert key_notice(effective_user=1000, folder=tmp_path) == ""
    monkeypatch.setenv("RATIBA_AGENT_PREFIX", "setpriv --reuid=65534")
    assert key_notice(effective_user=0, folder=tmp_path) == ""
