"""Commands as scripts use them: one JSON document on stdout alone, and exit codes that can be trusted."""

import io
import json
import threading
import uuid
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from apps.budgets.models import ModelCall
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Agent
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services import control
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from tests.evaluations.bench import GOOD_REPLY, imported, judge, make_config, reply
from tests.loopback.providers import ModelProvider
from tests.runs.stage import battles, make_agent, make_golden, make_scenarios, of, play, status

pytestmark = pytest.mark.usefixtures("knocks")
NOBODY = "01a1fc95-0000-7000-8000-000000000000"


def run_command(name: str, *arguments: Any, tenant: str = "acme") -> tuple[int, Any, str]:
    """(exit code, the JSON document on stdout or None, stderr); stdout must hold that document and nothing else."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command(name, *map(str, arguments), "--tenant", tenant, "--json", stdout=out, stderr=err)
    except SystemExit as stop:
        code = int(stop.code or 0)
    except CommandError as error:
        code, _ = error.returncode, err.write(str(error))
    text = out.getvalue()
    return code, json.loads(text) if text else None, err.getvalue()


@contextmanager
def working(tenant: str):
    """What workers do, in a thread of this process, until the block ends."""
    stop = threading.Event()

    def work() -> None:
        try:
            with in_tenant(tenant):
                while not stop.wait(0.02):
                    play(timezone.now)
                    control.finish_runs(now=timezone.now())
                    enqueue_judgements(now=timezone.now())
                    judge(timezone.now)
                    finish_evaluations(now=timezone.now())
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(30)


@pytest.fixture
def stocked(db, tmp_path) -> Path:
    """acme with an agent, two scenarios, a golden session and two configs."""
    with in_tenant("acme"):
        make_config()
        make_agent()
        make_scenarios(2)
        make_golden("g1", "One", "x", "Two", "y")
    return tmp_path


def lines(*ids: str) -> str:
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Karibu"}]
    return "\n".join(json.dumps({"id": id, "turns": turns}) for id in ids)


# --- import_conversations ---------------------------------------------------------------------------------------------
def test_import_conversations_gives_the_run_and_the_counts(stocked):
    (stocked / "a.jsonl").write_text(lines("a", "b"))
    code, answer, _ = run_command("import_conversations", stocked / "a.jsonl")
    assert code == 0
    assert answer | {"kept": 2, "turns": 4, "tool_calls": 0, "refused": []} == answer
    with in_tenant("acme"):
        assert status(answer["test_run_id"]) == "completed"


def test_import_conversations_says_no_when_lines_were_refused(stocked):
    (stocked / "a.jsonl").write_text(lines("a") + "\nnonsense\n" + lines("b"))
    code, answer, err = run_command("import_conversations", stocked / "a.jsonl", "--name", "mine")
    assert (code, answer["kept"], [one["line"] for one in answer["refused"]]) == (1, 2, [2])
    assert "line 2: not JSON" in err
    with in_tenant("acme"):
        assert TestRun.objects.get(pk=answer["test_run_id"]).name == "mine"


@pytest.mark.parametrize("content", [None, "", "nonsense"])
def test_import_conversations_is_wrong_use_when_nothing_can_be_taken(stocked, content):
    if content is not None:
        (stocked / "a.jsonl").write_text(content)
    code, answer, _ = run_command("import_conversations", stocked / "a.jsonl")
    assert (code, answer) == (2, None)


def test_import_conversations_keeps_golden_sessions_once(stocked):
    (stocked / "g.jsonl").write_text(lines("new"))
    assert run_command("import_conversations", stocked / "g.jsonl", "--as", "golden")[0] == 0
    assert run_command("import_conversations", stocked / "g.jsonl", "--as", "golden")[0] == 2


# --- evaluate ---------------------------------------------------------------------------------------------------------
def test_evaluate_owes_the_work_and_answers_at_once(stocked):
    with in_tenant("acme"):
        run = imported("a", "b")
    code, answer, _ = run_command("evaluate", "--run", run, "--config", "probe")
    assert (code, answer["evaluation"]["status"], answer["evaluation"]["counts"]["pending"]) == (0, "pending", 2)
    assert answer["evaluation"]["triggered_by"] == "command"


@pytest.mark.parametrize(
    "arguments", [("--run", NOBODY, "--config", "probe"), ("--run", "{run}", "--config", "nobody")]
)
def test_evaluate_refuses_what_is_not_there(stocked, arguments):
    with in_tenant("acme"):
        run = imported("a")
    code, answer, err = run_command("evaluate", *(text.format(run=run) for text in arguments))
    assert (code, answer) == (2, None)
    assert "there is no" in err.lower() or "no published" in err.lower()
    with in_tenant("acme"):
        assert not Evaluation.objects.exists()


def test_every_command_wants_a_tenant_it_knows(stocked):
    for name, arguments in (("evaluate", ["--run", NOBODY, "--config", "x"]), ("pause_run", [NOBODY])):
        code, answer, err = run_command(name, *arguments, tenant="nobody")
        assert (code, answer) == (2, None)
        assert "acme" in err


@pytest.mark.parametrize("given, expected", [(9, 0), (2, 1)])
def test_evaluate_waits_and_its_exit_code_is_the_verdict(fresh_tenant, capsys, given, expected):
    with ModelProvider(reply(dict.fromkeys(GOOD_REPLY, given))) as server:
        with in_tenant(fresh_tenant):
            make_config(url=server.base_url("openai"))
            run = imported("a", "b", "c")
        with working(fresh_tenant):
            code, answer, _ = run_command(
                "evaluate", "--run", run, "--config", "probe", "--wait", "--timeout", 30, tenant=fresh_tenant
            )
    assert (code, answer["evaluation"]["weighted_score"]) == (expected, given)
    assert [one["mean"] for one in answer["criteria"]] == [given] * 3
    shown = capsys.readouterr()
    assert ("working: 6 of 6" in shown.err, shown.out) == (True, "")


def test_evaluate_is_unmeasurable_when_the_judge_is_down(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_config(url="http://127.0.0.1:10/v1")
        run = imported("a")
    with working(fresh_tenant):
        code, answer, err = run_command(
            "evaluate", "--run", run, "--config", "probe", "--wait", "--timeout", 5, tenant=fresh_tenant
        )
    assert (code, answer) == (3, None)
    assert "What is left waits: model stub-model" in err


def test_a_wrong_patience_is_wrong_use(stocked):
    code, _, err = run_command("evaluate", "--run", NOBODY, "--config", "probe", "--wait", "--timeout", -1)
    assert code != 0
    assert "--timeout" in err


def test_waiting_longer_than_the_patience_is_unmeasurable(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_config()
        run = imported("a")
    code, answer, err = run_command(
        "evaluate", "--run", run, "--config", "probe", "--wait", "--timeout", 0, tenant=fresh_tenant
    )
    assert (code, answer) == (3, None)
    assert "1 of 2 done" in err


# --- start_run and replay ---------------------------------------------------------------------------------------------
def test_start_run_freezes_battles_and_answers_at_once(stocked):
    code, answer, _ = run_command("start_run", "--agent", "bot", "--scenario", "s0", "--repeats", 2, "--max-turns", 4)
    assert (code, answer["status"], answer["conversations"]["pending"]) == (0, "pending", 2)
    with in_tenant("acme"):
        assert {one.spec["max_turns"] for one in of(answer["test_run_id"])} == {4}


def test_start_run_plays_and_judges_to_the_end(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_config()
        make_agent()
        make_scenarios(2)
        Agent.objects.update(stagger_min_s=0, stagger_max_s=0)
    with working(fresh_tenant):
        code, answer, _ = run_command(
            "start_run", "--agent", "bot", "--config", "probe", "--wait", "--timeout", 30, tenant=fresh_tenant
        )
    assert (answer["status"], answer["conversations"]["ended"]) == ("completed", 2)
    assert answer["evaluation"]["counts"]["scored"] == 2
    assert code in (0, 1, 3)


def test_start_run_against_an_agent_that_fails_by_itself_is_a_no(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_agent({"fail": "agent_failed", "text": "kaput"})
        make_scenarios()
        Agent.objects.update(stagger_min_s=0, stagger_max_s=0)
    with working(fresh_tenant):
        code, answer, _ = run_command("start_run", "--agent", "bot", "--wait", "--timeout", 30, tenant=fresh_tenant)
    assert (code, answer["status"], answer["conversations"]["failed"]) == (1, "completed", 1)
    assert "(agent_quality): kaput" in answer["failures"][0]


def test_start_run_against_an_agent_that_is_down_is_unmeasurable(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_agent(kind="http", address="http://127.0.0.1:10/")
        make_scenarios()
    with working(fresh_tenant):
        code, answer, _ = run_command("start_run", "--agent", "bot", "--wait", "--timeout", 30, tenant=fresh_tenant)
    assert (code, answer["status"], answer["conversations"]["failed"]) == (3, "failed", 1)
    assert "(agent_transport)" in answer["failures"][0]
    assert "127.0.0.1" in answer["failures"][0], "it says why, so that nobody has to look for it"


def test_start_run_judges_unless_it_is_told_not_to(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_config()
        make_agent()
        make_scenarios()
    code, answer, err = run_command("start_run", "--agent", "bot", tenant=fresh_tenant)
    assert (code, answer["evaluation"]["evaluator_config"]) == (0, "probe@1")
    assert "probe judges it" in err
    code, answer, _ = run_command("start_run", "--agent", "bot", "--no-judge", tenant=fresh_tenant)
    assert code == 0
    assert "evaluation" not in answer


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--agent", "nobody"],
        ["--agent", "bot", "--scenario", "nothing"],
        ["--agent", "bot", "--persona", "nobody"],
        ["--agent", "bot", "--repeats", "0"],
        ["--agent", "bot", "--config", "nothing"],
        ["--agent", "bot", "--only", "failed"],
        ["--from", "01a20494-2338-79a3-ad59-f5bd3525e04c", "--agent", "bot"],
        ["--from", "01a20494-2338-79a3-ad59-f5bd3525e04c", "--repeats", "1"],
    ],
)
def test_start_run_says_what_is_wrong_and_stores_nothing(stocked, arguments):
    code, answer, err = run_command("start_run", *arguments)
    assert (code, answer) == (2, None)
    assert err
    with in_tenant("acme"):
        assert not TestRun.objects.exists()


def test_start_run_says_first_what_it_will_cost_and_wants_a_yes_above_the_limit(stocked):
    with in_tenant("acme"):
        before = battles()
        for _ in range(3):
            ModelCall.objects.create(
                purpose="simulator", provider="house", requested_model="m", model="m", outcome="ok", input_tokens=1,
                cost_usd=Decimal("6"), run_id=before, conversation_id=uuid.uuid4(),
            )  # fmt: skip
    update_workflow_config(slug="acme", changes={"models": {"simulator": {"provider": "house", "model": "m"}}})
    with in_tenant("acme"):
        save_model_provider(
            name="house", kind="openai", base_url="http://127.0.0.1:10/v1", api_key="k",
            options={"prices": {"*": {"input": 1, "output": 1}}},
        )  # fmt: skip
    code, answer, err = run_command("start_run", "--agent", "bot", "--scenario", "s0", "--repeats", 2)
    assert (code, answer) == (2, None)
    assert "about $12.00" in err
    assert "--yes" in err
    with in_tenant("acme"):
        assert TestRun.objects.count() == 1, "nothing was started"
    code, answer, _ = run_command("start_run", "--agent", "bot", "--scenario", "s0", "--repeats", 2, "--yes")
    forecast = answer["forecast"]
    assert (code, forecast["conversations"], forecast["cost_usd"], forecast["confirm"]) == (0, 2, 12.0, True)


def test_start_run_plays_the_errored_part_of_an_earlier_run_again(stocked):
    with in_tenant("acme"):
        run = battles()
        Conversation.objects.filter(run_id=run).update(status="ended")
        Conversation.objects.filter(run_id=run, position=1).update(status="failed", blame="simulator")
    code, answer, _ = run_command("start_run", "--from", run, "--only", "errored")
    assert (code, answer["conversations"]["pending"]) == (0, 1)
    code, _, err = run_command("start_run", "--from", run, "--only", "failed")
    assert code == 2
    assert "has failed" in err


def test_replay_with_a_config_that_is_not_there_starts_nothing(stocked):
    code, _, err = run_command("replay", "--session", "g1", "--agent", "bot", "--config", "nothing")
    assert code == 2
    assert "published: " in err
    with in_tenant("acme"):
        assert not TestRun.objects.exists()


def test_replay_says_golden_sessions_again(stocked):
    code, answer, _ = run_command("replay", "--session", "g1", "--agent", "bot", "--repeats", 2, "--config", "probe")
    assert (code, answer["conversations"]["pending"], answer["evaluation"]["status"]) == (0, 2, "pending")
    assert run_command("replay", "--session", "nothing", "--agent", "bot")[0] == 2


# --- pause_run, resume_run, cancel_run, reconcile_runs ----------------------------------------------------------------
def test_pause_run_resume_run_and_cancel_run_move_a_run(stocked):
    with in_tenant("acme"):
        run = battles()
    for name, after in (("pause_run", "paused"), ("resume_run", "running"), ("cancel_run", "cancelled")):
        code, answer, _ = run_command(name, run)
        assert (code, answer["status"], answer["test_run_id"]) == (0, after, str(run))
    assert answer["conversations"]["cancelled"] == 2


def test_cancel_run_ends_the_judging_of_a_run_that_was_played(stocked):
    with in_tenant("acme"):
        run = imported("a", "b")
        evaluation = request_evaluation(config="probe", run_id=run, now=timezone.now()).evaluation_id
    code, answer, _ = run_command("cancel_run", run)
    assert (code, answer["status"]) == (0, "completed")
    with in_tenant("acme"):
        assert Evaluation.objects.get(pk=evaluation).status == "cancelled"
    assert run_command("cancel_run", run)[0] == 1  # nothing of it goes on any more


@pytest.mark.parametrize("name", ["pause_run", "resume_run", "cancel_run"])
def test_a_move_that_a_state_forbids_is_a_no(stocked, name):
    with in_tenant("acme"):
        run = imported("a")
    code, answer, err = run_command(name, run)
    assert (code, answer) == (1, None)
    assert "completed" in err
    assert run_command(name, NOBODY)[0] == 2


def test_reconcile_runs_owes_again_what_is_stuck(stocked):
    with in_tenant("acme"):
        first, second = battles(), battles()
        control.time_out_runs(now=timezone.now(), minutes=30)
        imported("a")
    code, answer, _ = run_command("reconcile_runs")
    assert code == 0
    found = [(one["test_run_id"], one["owed_again"], one["status"]) for one in answer["runs"]]
    assert found == [(str(first), 2, "running"), (str(second), 2, "running")]
    code, answer, _ = run_command("reconcile_runs", first)
    assert [one["test_run_id"] for one in answer["runs"]] == [str(first)]
    assert run_command("reconcile_runs", NOBODY)[0] == 2
