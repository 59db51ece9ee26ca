"""Re-simulations at their doors, and what their report says of the golden session's way."""

import json
from io import StringIO

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from apps.reports.run_reports.queries.run_report import run_report
from apps.reports.run_reports.services.report_files import SCHEMA, report_html
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_pages import text_of
from tests.dashboard.test_starting import stocked  # noqa: F401 - a fixture
from tests.page_markup import as_taken
from tests.reports.test_run_reports import checked, outcomes
from tests.runs.stage import make_agent, play, replays
from tests.runs.test_replays import gated, golden
from tests.runs.test_resimulating import add_persona, resimulations

WAY = [("Hi", "Which day?", "day"), ("Friday", "Which hour?", "hour"), ("Ten", "Booked.", "Booked")]


def resimulated(*replies, repeats=1):
    make_agent(*replies)
    add_persona("aunt", text="Likes it short.", language="en")
    run = resimulations(golden("g", list(gated(*WAY))), repeats=repeats)
    play()
    return checked(run)


def test_the_report_names_the_golden_session_and_says_where_its_way_was_left(tenant):
    run = resimulated("Which day?", "We are closed.", {"text": "Booked. Goodbye!", "ended": True})
    report = run_report(run)
    (conversation,) = report["conversations"]
    assert [(one["name"], one["number"]) for one in report["resimulates"]] == [("g", 1)]
    assert conversation["golden"] == "g"
    assert conversation["golden_way"]["sentence"] == (
        'Went 2 of 3 steps of g, version 1; left its way at turn 2: step 2 ("hour") was never shown. '
        "It came back at turn 3, with step 3."
    )
    assert conversation["first_divergence"] == {
        "position": 2, "number": 2, "kind": "left_way", "why": conversation["golden_way"]["sentence"],
    }  # fmt: skip
    page = as_taken(report_html(report).decode())
    assert "Re-simulated from: g, version 1." in page
    assert "left its way at turn 2" in page
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))


def test_one_that_went_all_the_way_diverged_nowhere_and_a_replay_has_no_way(tenant):
    run = resimulated("Which day?", "Which hour?", {"text": "Booked.", "ended": True})
    (conversation,) = run_report(run)["conversations"]
    assert conversation["first_divergence"] is None
    assert conversation["golden_way"]["steps"][2] == {"step": 3, "shows": '"Booked"', "number": 3, "in_order": True}
    again = replays("g")
    play()
    (replayed,) = run_report(checked(again))["conversations"]
    assert (replayed["golden"], replayed["golden_way"]) == ("g", None)


def test_the_four_judged_checks_are_asked_and_repeats_are_no_repeats_of_a_replay(tenant):
    report = run_report(resimulated("Which day?", {"text": "Booked.", "ended": True}, repeats=2))
    assert set(outcomes(report["conversations"][0])) == {
        "knowledge_retention", "conversation_completeness", "role_adherence", "no_hallucination_per_turn",
    }  # fmt: skip
    assert report["pass_hat_k"] == {}
    assert report["warnings"][0].startswith("no_profile: 2 conversations")


def test_a_re_simulation_is_no_replay_to_make_a_golden_session_of(tenant):
    from apps.checks.services.golden_from_replay import golden_from_replay  # noqa: PLC0415 - see test_starting
    from apps.core.errors import Conflict  # noqa: PLC0415 - as above
    from tests.runs.stage import NOW  # noqa: PLC0415 - as above

    run = resimulated("Which day?", {"text": "Booked.", "ended": True})
    with pytest.raises(Conflict, match="no replay"):
        golden_from_replay(conversation_id=run_report(run)["conversations"][0]["id"], by="amina", now=NOW)


@pytest.fixture
def personas(stocked):  # noqa: F811
    from apps.catalog.models import Persona  # noqa: PLC0415 - see test_starting

    with in_tenant("acme"):
        return list(Persona.objects.filter(may_play=True).values_list("name", flat=True))


def plan_of(run_id):
    from apps.runs.models import TestRun  # noqa: PLC0415 - see test_starting

    with in_tenant("acme"):
        run = TestRun.objects.get(pk=run_id)
        return run.plan["resimulates"][0]["name"], sorted(run.conversations.values_list("external_id", flat=True))


def test_command_and_api_start_the_same(personas):
    out = StringIO()
    names = [option for name in personas for option in ("--persona", name)]
    call_command(
        "resimulate", "--tenant", "acme", "--session", "monday", *names, "--agent", "desk", "--json", stdout=out
    )
    by_command = json.loads(out.getvalue())["test_run_id"]
    asked = {"kind": "resimulation", "agent": "desk", "golden_sessions": ["monday"], "personas": personas}
    owner = signed_in("amina", superuser=True)
    taken = owner.post("/api/v1/test-runs/", json.dumps(asked), content_type="application/json")
    assert taken.status_code == 202, taken.content
    assert plan_of(taken.json()["id"]) == plan_of(by_command)
    assert plan_of(by_command) == ("monday", sorted(f"monday×{name}" for name in personas))
    for wrong, code in (
        ({"golden_sessions": ["moon"]}, "unknown_golden_sessions"),
        ({"personas": ["moon"]}, "unknown_personas"),
        ({"scenarios": "all"}, "unknown_field"),
    ):
        answer = owner.post("/api/v1/test-runs/", json.dumps(asked | wrong), content_type="application/json")
        assert answer.json()["code"] == code
    with pytest.raises(CommandError, match="--persona"):
        call_command("resimulate", "--tenant", "acme", "--session", "monday", "--agent", "desk")


def test_the_page_of_a_golden_session_leads_to_it_with_the_session_ticked(personas):
    from apps.catalog.models import GoldenSession  # noqa: PLC0415 - see test_starting

    with in_tenant("acme"):
        session = GoldenSession.objects.get(name="monday").pk
    owner = signed_in("amina", superuser=True)
    page = owner.get(f"/goldens/{session}/").content.decode()
    assert "/runs/start/?kind=resimulation&amp;golden=monday" in page
    form = owner.get("/runs/start/?kind=resimulation&golden=monday").content.decode()
    assert 'name="golden" value="monday" checked' in form
    asked = {"kind": "resimulation", "agent": "desk", "golden": "monday", "persona": personas, "repeats": "2"}
    shown = text_of(owner.post("/runs/start/forecast/", asked))
    assert f"1 golden session × {len(personas)} persona" in shown
    assert f"{2 * len(personas)} conversations" in shown
    started = owner.post("/runs/start/", asked)
    assert started.status_code == 302
    assert "Re-simulated from monday , version 1" in text_of(owner.get(started.url))
    assert "Name personas" in text_of(owner.post("/runs/start/", asked | {"persona": []}))
