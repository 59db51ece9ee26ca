"""A run carries what it tests with in its plan: nothing of the team's is inserted or changed by starting one."""

import json
from typing import Any

import pytest

from apps.api.services.keys import add_api_key
from apps.catalog.models import Agent, GoldenSession, Persona, Scenario
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, row_counts

SCENARIO = """id: order-tea
persona: shop-visitor
goal: Order one tea.
opening: A tea, please.
max_turns: 4
"""
VISITOR = """personas:
- name: shop-visitor
  language: en
  text: Someone who wants tea.
  status: approved_override
  rejection_reason: nobody asked
  override: {by: mary, at: "2026-01-01T00:00:00+00:00", reason: A scripted customer.}
"""
FILES = {"tea.yaml": SCENARIO, "visitor.yaml": VISITOR}
BATTLE = {"kind": "battle", "agent": "waiter", "scenarios": ["order-tea"], "catalog": {"files": FILES}}
GOLDEN = {
    "name": "first-tea",
    "turns": [{"role": "user", "content": "A tea, please."}, {"role": "assistant", "content": "Black or green?"}],
}
SENT = {"document": "first.json", "files": {"first.json": json.dumps(GOLDEN)}}


@pytest.fixture
def ci(acme: Door) -> Door:
    with in_tenant("acme"):
        return Door("acme", add_api_key(name="CI").secret)


def team_rows() -> list[Any]:
    """Every row of what the team tests with, whole."""
    with in_tenant("acme"):
        models: tuple[Any, ...] = (Agent, Persona, Scenario, GoldenSession)
        return [row for model in models for row in model.objects.order_by("pk").values()]


def planned(answer: Any) -> tuple[TestRun, list[Conversation]]:
    assert answer.status_code == 202, answer.json()
    with in_tenant("acme"):
        run = TestRun.objects.select_related("agent").get(pk=answer.json()["id"])
        return run, list(run.conversations.order_by("position"))


def test_a_run_plays_scenarios_that_came_with_it_and_the_catalog_stays_as_it_was(acme: Door, ci: Door) -> None:
    before = team_rows(), row_counts("acme")
    run, (conversation,) = planned(ci.post("test-runs/", BATTLE))
    assert conversation.spec["opening"] == "A tea, please."
    assert conversation.spec["persona"] == "Someone who wants tea."
    assert conversation.persona_id is None
    assert run.agent.name == "waiter"
    after = row_counts("acme")
    assert team_rows() == before[0]
    assert {name for name in after if after[name] != before[1][name]} <= {
        "runs.TestRun", "runs.Conversation", "budgets.Reservation"
    }  # fmt: skip


def test_the_teams_scenario_of_that_name_is_played_as_the_file_says_and_stays_as_it_is(acme: Door, ci: Door) -> None:
    with in_tenant("acme"):
        scenario = Scenario.objects.select_related("persona").first()
        assert scenario is not None
    before = team_rows()
    file = f"id: {scenario.slug}\npersona: {scenario.persona.name}\ngoal: Say nothing.\nopening: Hm.\n"
    body = {**BATTLE, "scenarios": [scenario.slug], "catalog": {"files": {"a.yaml": file}}}
    _, (conversation,) = planned(ci.post("test-runs/", body))
    assert conversation.spec["goal"] == "Say nothing."
    assert conversation.persona_id == scenario.persona_id
    assert team_rows() == before


def test_all_means_the_teams_scenarios_and_those_of_the_run(acme: Door, ci: Door) -> None:
    _, conversations = planned(ci.post("test-runs/", {**BATTLE, "scenarios": "all"}))
    assert "order-tea" in {one.external_id for one in conversations}
    assert len(conversations) > 1


@pytest.mark.parametrize(
    "section",
    [
        "criteria:\n- {name: warmth, description: Is it warm?}",
        "evaluator_configs:\n- {name: tea-service, versions: []}",
        "model_providers:\n- {name: mine, kind: openai}",
        "agents:\n- {name: waiter, kind: pulled}",
        "prompts:\n- {version: waiter@a1, text: Be rude.}",
    ],
)
def test_what_is_the_teams_does_not_come_with_a_run_and_the_refusal_names_the_line(
    acme: Door, ci: Door, section: str
) -> None:
    before = team_rows(), row_counts("acme")
    body = {**BATTLE, "catalog": {"files": {**FILES, "judge.yaml": f"# ours\n{section}\n"}}}
    answer = ci.post("test-runs/", body)
    refused = answer.json()
    assert (answer.status_code, refused["code"]) == (400, "not_of_a_run")
    assert (refused["file"], refused["line"], refused["section"]) == ("judge.yaml", 3, section.partition(":")[0])
    assert refused["pointer"] == "/catalog/files/judge.yaml"
    assert "the whole team's" in refused["detail"]
    assert (team_rows(), row_counts("acme")) == before


def test_an_error_in_a_file_of_the_run_names_file_and_line_as_an_import_does(acme: Door, ci: Door) -> None:
    body = {**BATTLE, "catalog": {"files": {**FILES, "tea.yaml": SCENARIO.replace("max_turns: 4", "max_turns: 0")}}}
    refused = ci.post("test-runs/", body).json()
    assert (refused["pointer"], refused["file_pointer"], refused["line"]) == (
        "/catalog/files/tea.yaml",
        "/max_turns",
        5,
    )


def test_a_persona_of_the_run_that_nobody_vouches_for_does_not_play(acme: Door, ci: Door) -> None:
    unfit = "personas:\n- {name: shop-visitor, language: en, text: Someone who wants tea.}\n"
    refused = ci.post("test-runs/", {**BATTLE, "catalog": {"files": {**FILES, "visitor.yaml": unfit}}}).json()
    assert refused["code"] == "persona_not_eligible"


def test_a_forecast_takes_the_catalog_of_the_run_too(acme: Door, ci: Door) -> None:
    before = team_rows()
    assert ci.post("test-runs/forecast/", BATTLE).json()["conversations"] == 1
    assert team_rows() == before


def test_an_agent_that_only_the_repository_has_is_played_as_pulled_without_a_row(acme: Door, ci: Door) -> None:
    before = team_rows()
    answer = ci.post("test-runs/", {**BATTLE, "agent": "mine", "connection": {"kind": "pulled"}})
    run, _ = planned(answer)
    assert answer.json()["transport"] == "pulled"
    assert (run.agent, run.plan["agent"]["name"], run.plan["agent"]["kind"]) == (None, "mine", "pulled")
    assert run.plan["stagger_s"] == [0, 0]
    assert team_rows() == before
    lease = {"agent": "mine", "test_runs": [str(run.pk)]}
    assert ci.post("pulled-turns/lease/", lease).json()["turns"] == []
    assert ci.post("pulled-turns/lease/", {"agent": "mine"}).json()["code"] == "unknown_agent"


def test_a_known_agent_is_used_as_it_is_and_another_way_to_it_is_the_runs_alone(acme: Door, ci: Door) -> None:
    with in_tenant("acme"):
        Agent.objects.filter(name="waiter").update(
            timeout_s=17, stagger_min_s=1, stagger_max_s=2, profile={"role": "x"}
        )
    before = team_rows()
    same = {"kind": "http", "address": "http://127.0.0.1:10", "runner": True}
    run, _ = planned(ci.post("test-runs/", {**BATTLE, "connection": same}))
    assert (run.agent.name, run.plan["agent"]["kind"], run.plan["stagger_s"]) == ("waiter", "http", [1, 2])
    for own in ({"kind": "pulled"}, {**same, "address": "http://127.0.0.1:11/"}):
        run, _ = planned(ci.post("test-runs/", {**BATTLE, "connection": own}))
        assert (run.agent, run.plan["agent"]["kind"], run.plan["agent"]["timeout_s"]) == (None, "pulled", 17)
        assert run.plan["agent"]["profile"] == {"role": "x"}
    assert team_rows() == before


def test_a_connection_that_cannot_be_one_is_refused_with_its_pointer(acme: Door, ci: Door) -> None:
    refused = ci.post("test-runs/", {**BATTLE, "agent": "mine", "connection": {"kind": "a2a", "address": "shop"}})
    assert refused.status_code == 400
    assert refused.json()["pointer"].startswith("/connection")


def test_a_golden_session_that_came_with_a_replay_is_played_and_not_kept(acme: Door, ci: Door) -> None:
    before = team_rows(), row_counts("acme")
    body = {
        "kind": "replay", "agent": "mine", "connection": {"kind": "pulled"},
        "golden_sessions": ["first-tea"], "catalog": {"golden_sessions": [SENT]},
    }  # fmt: skip
    answer = ci.post("test-runs/", body)
    _, (conversation,) = planned(answer)
    assert answer.json()["transport"] == "pulled"
    golden = conversation.spec["golden"]
    assert (golden["name"], golden["number"], golden["version_id"]) == ("first-tea", 0, "")
    assert team_rows() == before[0]
    after = row_counts("acme")
    assert after["catalog.GoldenVersion"] == before[1]["catalog.GoldenVersion"]
    broken = {**SENT, "files": {"first.json": "{"}}
    refused = ci.post("test-runs/", body | {"catalog": {"golden_sessions": [broken]}}).json()
    assert refused["pointer"].startswith("/catalog/golden_sessions/0")
