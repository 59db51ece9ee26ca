"""A scenario, a callable, `pytest`: turns are leased, answered, and the server's verdict is the item's."""

import pytest

from pytest_ratiba.client import RatibaClient
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import read_project
from pytest_ratiba.playing import Player
from tests.plugin.conftest import ROOT
from tests.plugin.stub_server import StubServer

AGENT = """
async def reply(messages, context):
    if messages[-1]["content"] == "break":
        raise ValueError("the till is stuck")
    return f"welcome {context.get('vars', {}).get('day', '')} ({context['language']})"
"""
SCENARIO = """
id: {id}
language: sw
opening: {opening}
turns: [Asante., {{end: true}}]
assertions: [{{metric: {word}}}]
"""


@pytest.fixture
def stub():
    server = StubServer()
    yield server
    server.close()


@pytest.fixture
def project(user_project, stub):
    user_project.write("ratiba.yaml", "agent: {callable: 'bot:reply', name: concierge}\nscenarios: talks\n")
    user_project.write("bot.py", AGENT)
    user_project.variables |= {"RATIBA_URL": stub.url, "RATIBA_API_KEY": "rk_x"}
    return user_project


def scenario(project, name, *, word="welcome", opening="Habari", more=""):
    project.write(f"talks/{name}.yaml", SCENARIO.format(id=name, opening=opening, word=word) + more)


def test_items_pass_and_fail_as_the_server_says(project, stub):
    scenario(project, "good")
    scenario(project, "bad", word="goodbye")
    scenario(project, "broken", opening="break")
    answer = project.pytest("-v")
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert "talks/good.yaml::good PASSED" in answer.stdout
    assert "talks/bad.yaml::bad FAILED" in answer.stdout
    assert "goodbye: fail 0.00 (threshold 1): goodbye is missing." in answer.stdout
    assert "customer: Habari" in answer.stdout
    assert "talks/broken.yaml::broken ERROR" in answer.stdout
    assert "ValueError: the till is stuck" in answer.stdout
    started = [body for path, body in stub.posted if path == "/test-runs/"]
    assert [body["scenarios"] for body in started] == [["bad", "broken", "good"]]
    assert started[0]["agent"] == "concierge"
    assert "1 failed, 1 passed, 1 error" in answer.stdout


def test_the_server_gets_nothing_that_only_the_plugin_reads(project, stub):
    more = "phrasings: [Nataka kunyoa]\nvars: [{day: Friday}, {day: Sunday, id: market}]\nfixtures: {slots: 2}\n"
    scenario(project, "s", more=more)
    answer = project.pytest("-q")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert sorted(stub.scenarios) == ["s.market", "s.market.p1", "s.v1", "s.v1.p1"]
    assert stub.scenarios["s.v1.p1"]["opening"] == "Nataka kunyoa"
    assert set(stub.scenarios["s.v1"]) == {"id", "language", "opening", "turns", "assertions", "persona"}
    replies = [body["content"] for path, body in stub.posted if path.endswith("/reply/")]
    assert {"welcome Friday (sw)", "welcome Sunday (sw)"} == set(replies)


def test_only_what_a_person_released_is_played_and_what_must_not_happen_goes_along(project, stub):
    kept = "must_not: [{criterion: keeps_promises, below: 6}]\nfamily: late_refund\norigin: production\n"
    scenario(project, "released", more=kept + "status: released\nprovenance: {feedback: [f-1]}\n")
    for status in ("draft", "candidate", "archived"):
        scenario(project, status, more=f"status: {status}\n")
    answer = project.pytest("-v", "-rs")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "candidate is candidate: only a released scenario is played" in answer.stdout
    assert "1 passed, 3 skipped" in answer.stdout
    sent = stub.scenarios["released"]
    assert (sent["must_not"], sent["family"]) == ([{"criterion": "keeps_promises", "below": 6}], "late_refund")
    assert list(stub.scenarios) == ["released"]
    assert not {"status", "origin", "provenance"} & set(sent)


def test_what_is_checked_here_is_checked_in_each_repeat_of_a_case(project, stub, monkeypatch):
    """A gate plays a case again to tell chance from the change: an assertion that counts once cannot be confirmed."""
    text = SCENARIO.format(id="s", opening="Habari", word="welcome")
    project.write("talks/s.yaml", text.replace("{metric: welcome}", "{contains: goodbye}"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "plugin/src"))
    found = read_project(project.folder)
    player = Player(
        client=RatibaClient(stub.url, "rk_x"), project=found, api_key="rk_x", stall_s=20, apart=True, commit="c" * 40
    )
    try:
        played = player.play_scenarios(
            all_scenarios(found).scenarios, agent="concierge", layer=4, options={"repeats": 3}
        )
    finally:
        player.processes.stop()
        player.close()
    own = [
        [check["outcome"] for check in one["checks"] if check["check"] == "runner_assertion"]
        for one in played.report["conversations"]
    ]
    assert own == [["fail"]] * 3


def test_a_status_nobody_knows_is_refused_with_its_line(project, stub):
    scenario(project, "odd", more="status: ready\n")
    answer = project.pytest()
    assert answer.returncode == 2
    assert "odd.yaml" in answer.stdout
    assert "is one of draft, candidate, released, archived" in answer.stdout


def test_limits_and_lost_connections_cost_nothing(project, stub):
    scenario(project, "good")
    problem = {"title": "slow down", "code": "throttled"}
    stub.refusals = {"/reply/": [(429, problem), (503, problem)], "/lease/": [(503, problem)],
                     "/status/": [(429, problem)], "/report/": [(409, {"code": "not_ended"})]}  # fmt: skip
    answer = project.pytest("-q")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_what_the_server_refuses_is_shown_where_it_was_written(project, stub):
    scenario(project, "s")
    problem = {"detail": "there is no metric 'welcome'", "code": "invalid", "file": "s.yaml",
               "pointer": "/catalog/files/s.yaml", "file_pointer": "/assertions/0/metric"}  # fmt: skip
    stub.refusals = {"/test-runs/": [(400, problem)]}
    answer = project.pytest("-q")
    assert answer.returncode == 1
    assert "talks/s.yaml:5: /assertions/0/metric: there is no metric 'welcome'" in answer.stdout
    assert "Traceback" not in answer.stdout


def test_a_run_without_progress_is_given_up_by_name(project, stub):
    scenario(project, "s")
    stub.silent_runs = True
    answer = project.pytest("-q", "--ratiba-wait", "1")
    assert answer.returncode == 1
    assert "made no progress for 1 s: it waits for a runner" in answer.stdout
    assert any(path.endswith("/cancel/") for path, _ in stub.posted)


def test_a_higher_layer_does_not_start_while_a_lower_one_is_red(project, stub):
    scenario(project, "low", word="goodbye", more="layer: 3\n")
    scenario(project, "high")
    project.write(
        "test_unit.py",
        """
        import pytest

        @pytest.mark.layer1
        def test_first():
            pass
        """,
    )
    answer = project.pytest("-v", "--strict-markers", "-rs")
    assert "1 failed, 1 passed, 1 skipped" in answer.stdout
    assert "layer 3 is red, so layer 4 does not start" in answer.stdout
    assert answer.stdout.index("test_first") < answer.stdout.index("::low") < answer.stdout.index("::high")
    assert "1 failed, 2 passed" in project.pytest("--all-layers").stdout
    only = project.pytest("--layer", "4-5", "-v")
    assert "1 passed, 2 deselected" in only.stdout


def test_the_limit_counts_scenarios_of_each_layer(project, stub):
    for name in ("a", "b", "c"):
        scenario(project, name)
    project.variables["RATIBA_LIMIT"] = "2"
    assert "2 passed, 1 deselected" in project.pytest("-q").stdout
    wrong = project.pytest("--limit", "none")
    assert wrong.returncode == 2
    assert "--limit 'none' is not a whole number from 1" in wrong.stderr + wrong.stdout


def test_with_xdist_every_worker_plays_what_it_gets(project, stub):
    for name in ("a", "b", "c"):
        scenario(project, name)
    answer = project.pytest("-p", "xdist", "-n", "2")
    assert "3 passed" in answer.stdout, answer.stdout + answer.stderr
    assert len(stub.runs) == 3


def test_where_xdist_keeps_files_together_a_file_is_one_run(project, stub):
    for name in ("a", "b"):
        scenario(project, name, more="vars: [{day: Friday}, {day: Sunday}]\n")
    answer = project.pytest("-p", "xdist", "-n", "2", "--dist", "loadfile")
    assert "4 passed" in answer.stdout, answer.stdout + answer.stderr
    played = [[one["name"] for one in run["conversations"]] for run in stub.runs.values()]
    assert sorted(played) == [["a.v1", "a.v2"], ["b.v1", "b.v2"]]


def test_what_only_the_agents_side_knows_is_checked_here(project, stub):
    project.write(
        "bot.py",
        """
        def reply(messages, context):
            step = {"state": "paid", "transitions": [("asked", "pay", "paid")], "log": [{"event_type": "charged"}]}
            return {"content": "welcome, KES 1,500", **step}
        """,
    )
    for name, extra in (("holds", "{contains: KES}, {fsm_state: paid}"), ("not", "{max_words: 2}, {fsm_state: open}")):
        project.write(
            f"talks/{name}.yaml",
            f"""
            id: {name}
            turns: [Habari, {{end: true}}]
            assertions: [{{event_type: charged, times: 1}}, {extra}]
            """,
        )
    answer = project.pytest("-v")
    assert "::holds PASSED" in answer.stdout, answer.stdout
    assert "assertions/1 (max_words): reply 1 has 3 words, at most 2 are allowed" in answer.stdout
    assert "assertions/2 (fsm_state): it ended in paid, wanted open" in answer.stdout
    assert "talks/not.yaml::not - not: fail" in answer.stdout
    assert all("state" not in body for path, body in stub.posted if path.endswith("/reply/"))
    assert stub.scenarios["holds"]["assertions"] == []
