"""The report of a run comes from its rows alone, and is the same by command, API and page."""

import json
from io import StringIO
from xml.etree import ElementTree

import jsonschema
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.budgets.models import ModelCall
from apps.catalog.models import Agent
from apps.checks.services.enqueue_checks import enqueue_checks
from apps.checks.services.run_checks import measure_due_checks
from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.run_reports.queries.run_report import run_report
from apps.reports.run_reports.services.report_files import SCHEMA, report_html, report_junit, write_report
from apps.runs.models import Conversation
from apps.runs.playing.services.control import finish_runs
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from tests.checks.metrics.bench import FACTS, LoopbackJudge
from tests.checks.metrics.test_measure_command import judged_by
from tests.dashboard.conftest import signed_in
from tests.evaluations.bench import make_config
from tests.runs.stage import NOW, at, make_agent, play, replays
from tests.runs.test_replays import gated, golden

GOOD = [("Hi", "Which day?", "day"), ("Friday", "Booked for KES 1,500.", "Booked")]


def checked(run):
    finish_runs(now=NOW)
    enqueue_checks(now=NOW)
    measure_due_checks(now=lambda: NOW, until=at(60))
    return run


def replayed(*replies, repeats=1):
    make_agent(*replies)
    run = replays(golden("g", list(gated(*GOOD))), repeats=repeats)
    play()
    return checked(run)


def outcomes(conversation):
    return {check["check"]: check["outcome"] for check in conversation["checks"]}


def test_a_report_has_all_checks_and_says_what_no_model_could_judge(tenant):
    report = run_report(replayed("Which day?", "Booked: 1500/=."))
    (conversation,) = report["conversations"]
    assert outcomes(conversation) == {
        "knowledge_retention": "unmeasurable",
        "conversation_completeness": "unmeasurable",
        "role_adherence": "unmeasurable",
        "no_hallucination_per_turn": "unmeasurable",
        "tool_invocations_match_golden": "skipped",
        "latency_regression": "pass",
        "case_lifecycle": "skipped",
        "step_agents_detected": "skipped",
        "figures_match_golden": "pass",
    }
    assert (report["verdict"], conversation["first_divergence"]) == ("unmeasurable", None)
    assert [turn["number"] for turn in conversation["turns"]] == [1, 2]
    (warning,) = report["warnings"]
    assert warning.startswith("no_profile: 1 conversation judged by minimal defaults")
    assert warning in report_html(report).decode()
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))


def test_a_report_says_that_nobody_knows_what_calls_without_a_price_cost(tenant):
    run = replayed("Which day?", "Booked: 1500/=.")
    for usd in (None, "0.25"):
        ModelCall.objects.create(
            purpose="judge", provider="stub", requested_model="m", outcome="ok", run_id=run, cost_usd=usd
        )
    report = run_report(run)
    assert [report[name] for name in ("cost_usd", "known_cost_usd", "model_calls", "calls_without_price")] == [
        None, 0.25, 2, 1,
    ]  # fmt: skip
    assert "at least $0.2500: 1 of 2 calls have no price" in report_html(report).decode()
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))


def test_a_replay_that_lost_its_step_over_other_words_is_undecided(tenant):
    report = run_report(replayed(*["On what date would you like to come?"] * 9))
    (conversation,) = report["conversations"]
    assert (report["verdict"], conversation["verdict"], conversation["blame"]) == ("undecided", "undecided", None)
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))


def test_a_changed_price_is_the_first_difference_that_matters(tenant):
    (conversation,) = run_report(replayed("Which day?", "Booked: 1800/=."))["conversations"]
    assert conversation["first_divergence"] == {
        "position": 2, "number": 2, "kind": "facts", "why": "KES 1,500 became 1800/=.",
    }  # fmt: skip


def test_a_replay_that_lost_its_step_fails_and_counts_as_a_failure_of_its_repeats(tenant):
    report = run_report(replayed("Which day?", "Sorry?", "Sorry?", "Sorry?", "Sorry?", repeats=2))
    assert report["verdict"] == "fail"
    assert {one["first_divergence"]["kind"] for one in report["conversations"]} == {"desync"}
    assert report["pass_hat_k"]["g"] == {"n": 2, "passed": 0, "pass_hat_k": {"1": 0.0, "2": 0.0}}
    assert {one["outcome"] for one in report["conversations"][0]["checks"]} == {"unmeasurable"}


def test_what_was_the_golden_sessions_fault_is_shown_and_decides_nothing(tenant):
    run = replayed("Which day?", "Sorry?", "Sorry?", "Sorry?", "Sorry?")
    Conversation.objects.filter(run_id=run).update(blame="golden")
    report = run_report(run)
    assert (report["verdict"], len(report["conversations"])) == ("unmeasurable", 1)
    (shown,) = report["conversations"]
    assert (shown["counts"], shown["counts_why"]) == (False, "The golden session was wrong.")


def test_a_run_that_has_not_ended_or_is_not_checked_has_no_report(tenant):
    make_agent("Which day?", "Booked.")
    run = replays(golden("g", list(gated(*GOOD))))
    with pytest.raises(Conflict, match="it is pending"):
        run_report(run)
    play()
    finish_runs(now=NOW)
    with pytest.raises(Conflict, match="1 conversation not checked yet"):
        run_report(run)
    with pytest.raises(NotFound):
        run_report("00000000-0000-0000-0000-000000000000")


def test_the_report_of_another_run_cannot_come_out(tenant, tmp_path):
    """Seeds 004, ADR-026: a file of an earlier run is overwritten by this run's rows, or stays what it is."""
    first = run_report(replayed("Which day?", "Booked for KES 1,500."))
    write_report(first, tmp_path)
    second = replays("g")
    play()
    with pytest.raises(Conflict):
        run_report(second)
    assert json.loads((tmp_path / "report.json").read_text())["test_run_id"] == first["test_run_id"]
    later = run_report(checked(second))
    write_report(later, tmp_path)
    stored = json.loads((tmp_path / "report.json").read_text())
    assert (stored["test_run_id"], stored["digest"]) == (str(second), later["digest"])
    assert first["digest"] != later["digest"]


def test_files_of_two_runs_never_stand_beside_each_other(tenant, tmp_path):
    write_report(run_report(replayed("Which day?", "Booked for KES 1,500.")), tmp_path)
    before = (tmp_path / "report.json").read_bytes()
    (tmp_path / "junit.xml").unlink()
    (tmp_path / "junit.xml").mkdir()
    second = replays("g")
    play()
    with pytest.raises(BadInput, match="is a folder"):
        write_report(run_report(checked(second)), tmp_path)
    assert (tmp_path / "report.json").read_bytes() == before


def test_a_replay_that_has_no_report_yet_leaves_none_of_an_earlier_run(db, tmp_path, monkeypatch):
    def nobody_plays(**_):
        raise CommandError("Not ended")

    monkeypatch.setattr("apps.reports.management.measuring.wait_until_done", nobody_plays)
    with in_tenant("acme"):
        write_report(run_report(replayed("Which day?", "Booked for KES 1,500.")), tmp_path)
    (tmp_path / "mine.txt").write_text("stays")
    asked = ("--tenant", "acme", "--session", "g", "--agent", "bot")
    with pytest.raises(CommandError, match="Not ended"):
        call_command("replay", *asked, "--wait", "--timeout", "0.1", "--report", str(tmp_path))
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


def test_a_replay_knows_its_agent_from_the_golden_session(db):
    from apps.catalog.models import GoldenSession  # noqa: PLC0415 - apps are loaded by then

    with in_tenant("acme"):
        make_agent("Which day?", "Booked.")
        golden("g", list(gated(*GOOD)))
    with pytest.raises(CommandError, match="name the agent with --agent: none of them says whose it is"):
        call_command("replay", "--tenant", "acme", "--session", "g")
    with pytest.raises(CommandError, match="no golden session named 'nope'"):
        call_command("replay", "--tenant", "acme", "--session", "nope")
    with in_tenant("acme"):
        GoldenSession.objects.update(agent=Agent.objects.get(name="bot"))
    out = StringIO()
    call_command("replay", "--tenant", "acme", "--session", "g", "--json", stdout=out)
    assert json.loads(out.getvalue())["test_run_id"]


def test_command_api_and_file_give_the_same_digest(db, tmp_path):
    with in_tenant("acme"):
        run = replayed("Which day?", "Booked for KES 1,500.")
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("report", "--run", str(run), "--out", str(tmp_path), "--tenant", "acme", "--json", stdout=out)
    answer, owner = json.loads(out.getvalue()), signed_in("amina", superuser=True)
    by_api = owner.get(f"/api/v1/test-runs/{run}/report/").json()
    file = owner.get(f"/runs/{run}/report/report.json").content
    assert ended.value.code == 3
    assert answer["digest"] == by_api["digest"] == json.loads((tmp_path / "report.json").read_text())["digest"]
    assert file == (tmp_path / "report.json").read_bytes()


def test_junit_never_calls_unmeasurable_a_pass(tenant):
    (suite,) = ElementTree.fromstring(report_junit(run_report(replayed("Which day?", "Booked."))))  # noqa: S314 - ours
    counted = {name: suite.get(name) for name in ("tests", "errors", "skipped", "failures")}
    assert counted == {"tests": "9", "errors": "4", "skipped": "3", "failures": "0"}


def test_a_report_names_who_judges_the_run_in_all_three_files(tenant):
    run = replayed("Which day?", "Booked.")
    assert run_report(run)["evaluations"] == []
    make_config(name="strict-tea")
    id = str(request_evaluation(config="strict-tea", run_id=run, now=NOW).evaluation_id)
    report = run_report(run)
    assert report["evaluations"] == [{"id": id, "evaluator_config": "strict-tea@1"}]
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))
    assert f"Judged with strict-tea@1 · evaluation {id}" in report_html(report).decode()
    (suite,) = ElementTree.fromstring(report_junit(report))  # noqa: S314 - ours
    named = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert named == {"test_run": str(run), "evaluation": f"strict-tea@1 {id}"}


def test_what_an_agent_says_is_never_markup_in_a_report(tenant):
    report = run_report(replayed("Which day? <script>alert(1)</script>\x01", "Booked."))
    assert b"<script>alert" not in report_html(report)
    assert ElementTree.fromstring(report_junit(report)).tag == "testsuites"  # noqa: S314 - ours


@pytest.mark.parametrize("resumed, words", [(True, b"gone on with"), (False, b"began anew"), (None, b"")])
def test_a_report_says_what_became_of_a_lost_workers_replay(tenant, resumed, words):
    run = replayed("Which day?", "Booked.")
    row = Conversation.objects.get(run_id=run)
    Conversation.objects.filter(pk=row.pk).update(
        extra={**row.extra, "replay": {**row.extra["replay"], "resumed": resumed}}
    )
    page = report_html(run_report(run))
    assert (b"worker was lost" in page) == bool(words)
    assert words in page


def test_a_report_costs_the_same_queries_for_one_conversation_and_for_twenty(tenant):
    def cost(run):
        with CaptureQueriesContext(connection) as asked:
            run_report(run)
        return len(asked)

    small = replayed("Which day?", "Booked.")
    many = replays("g", repeats=20)
    play()
    assert cost(small) == cost(checked(many))


def test_a_golden_session_or_an_agent_with_a_profile_needs_no_warning(tenant):
    make_agent("Which day?", "Booked for KES 1,500.")
    Agent.objects.update(profile={"agent_identity": {"role": "books"}})
    run = replays(golden("g", list(gated(*GOOD))))
    play()
    assert run_report(checked(run))["warnings"] == []


def test_a_transport_without_a_name_is_no_transport(tenant):
    with pytest.raises(CommandError, match=r"--transport.*is empty"):
        call_command("replay", "--tenant", "demo", "--session", "g", "--agent", "bot", "--transport", "")


def test_with_a_model_the_four_judged_checks_are_asked_and_a_good_replay_is_exit_0(tenant, tmp_path):
    """Over a server that speaks like OpenAI, with what `make demo` and the wheel install (requirements/base.txt)."""
    with (judge := LoopbackJudge()).server:
        judged_by(tenant, "openai", judge)
        try:
            make_agent("Which day?", "Booked for KES 1,500.")
            Agent.objects.update(profile={"agent_identity": {"role": "Front desk"}, "hallucination_context": FACTS})
            run = replays(golden("g", list(gated(*GOOD))))
            play()
            checked(run)
        finally:
            Tenant.objects.filter(slug=tenant).update(settings={})
    report = run_report(run)
    found = outcomes(report["conversations"][0])
    judged = {"knowledge_retention", "conversation_completeness", "role_adherence", "no_hallucination_per_turn"}
    assert {name: found[name] for name in judged} == dict.fromkeys(judged, "pass"), report["conversations"][0]["checks"]
    out = StringIO()
    call_command("report", "--tenant", tenant, "--run", str(run), "--out", str(tmp_path), "--json", stdout=out)
    assert json.loads(out.getvalue())["verdict"] == "pass"
