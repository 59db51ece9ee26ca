"""Plans at their edges: many, doubled, and long names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.catalog.models import Persona, Scenario
from apps.core.errors import BadInput
from apps.evaluations.requests.queries.cost_forecast import run_forecast
from apps.runs.goldens.domain.replay_script import script_of
from apps.runs.models import TestRun
from apps.runs.playing.queries.progress import left_out_of
from apps.runs.playing.queries.simulator_counts import simulator_counts
from tests.catalog.samples import add_persona
from tests.runs.stage import battles, make_agent, make_golden, make_scenarios, of, only, play, replays


@pytest.fixture
def cast(tenant):
    make_agent()
    make_scenarios(3)
    add_persona("uncle", text="Takes his time.", language="sw")


def test_every_scenario_meets_every_persona_named(cast):
    run = battles(personas=["aunt", "uncle"])
    names = [row.external_id for row in of(run)]
    assert names == ["s0×aunt", "s0×uncle", "s1×aunt", "s1×uncle", "s2×aunt", "s2×uncle"]


def test_a_persona_named_for_a_scenario_of_another_language_is_refused_with_both(cast):
    Scenario.objects.filter(slug="s1").update(language="en")
    with pytest.raises(BadInput, match="uncle speaks sw, and s1 is in en") as refused:
        battles(scenarios=["s0", "s1"], personas=["aunt", "uncle"])
    assert (refused.value.code, refused.value.pointer) == ("persona_speaks_otherwise", "/personas")
    assert not TestRun.objects.exists()


@pytest.mark.parametrize("choice", [{"personas": ["aunt", "uncle"]}, {"personas": "eligible"}])
def test_of_all_scenarios_a_persona_plays_those_of_its_language_and_the_plan_says_so(cast, choice):
    Scenario.objects.filter(slug="s1").update(language="en")
    Scenario.objects.filter(slug="s2").update(language="mixed")
    run = battles(**choice)
    assert [row.external_id for row in of(run)] == ["s0×aunt", "s0×uncle", "s1×aunt", "s2×aunt", "s2×uncle"]
    assert [(one["scenario"], one["persona"]) for one in left_out_of(run)] == [("s1", "uncle")]


def test_a_scenarios_own_persona_of_another_language_is_refused_too(cast):
    Scenario.objects.filter(slug="s1").update(language="en", persona=Persona.objects.get(name="uncle"))
    with pytest.raises(BadInput, match="uncle speaks sw, and s1 is in en") as refused:
        battles(scenarios=["s0", "s1"])
    assert refused.value.code == "persona_speaks_otherwise"
    run = battles(scenarios="all")
    assert [row.external_id for row in of(run)] == ["s0", "s2"]
    assert [(one["scenario"], one["persona"]) for one in left_out_of(run)] == [("s1", "uncle")]


def test_a_run_whose_customers_no_model_plays_says_that_no_persona_was_played(cast):
    sentence = simulator_counts(battles(scenarios=["s0"]))["sentence"]
    assert "1 customer was played without a model: offline rules play the scenario's wish, not the persona." in sentence
    forecast = run_forecast(kind="battle", agent="bot", config="", conversations=1)
    assert "offline rules play the scenario's wish, not the persona" in forecast.parts[0].sentence


def test_eligible_means_every_persona_that_may_play(cast):
    add_persona("stranger", status="rejected")
    add_persona("waiting", needs_release=True)
    run = battles(scenarios=["s0"], personas="eligible")
    assert [row.spec["persona_name"] for row in of(run)] == ["aunt", "uncle"]


def test_nobody_eligible_is_said(cast):
    Persona.objects.update(status="archived")
    with pytest.raises(BadInput) as refused:
        battles(personas="eligible")
    assert refused.value.code == "persona_not_eligible"


def test_a_scenario_without_a_persona_wants_one_named(cast):
    Scenario.objects.create(slug="bare", goal="x", opening="y")
    with pytest.raises(BadInput):
        battles(scenarios=["bare"])
    assert len(of(battles(scenarios=["bare"], personas=["uncle"]))) == 1


def test_all_plays_whom_it_may_and_says_who_was_left_out(cast):
    unfit = add_persona("crook", language="en", status="rejected")
    Scenario.objects.create(slug="barred", persona=unfit, goal="x", opening="y")
    Scenario.objects.create(slug="bare", goal="x", opening="y")
    run = battles(scenarios="all")
    assert {row.spec["scenario"] for row in of(run)}.isdisjoint({"barred", "bare"})
    assert [(one["scenario"], one["persona"], one["why"]) for one in left_out_of(run)] == [
        ("bare", "", "has no persona of its own"),
        ("barred", "crook", "persona crook is rejected"),
    ]
    with pytest.raises(BadInput) as refused:
        battles(scenarios=["barred"])  # who is named and may not play is refused
    assert refused.value.code == "persona_not_eligible"


def test_all_with_nobody_who_may_play_is_refused(cast):
    Persona.objects.update(status="archived")
    with pytest.raises(BadInput) as refused:
        battles(scenarios="all")
    assert refused.value.code == "persona_not_eligible"


def test_what_is_named_twice_is_played_once(cast):
    assert len(of(battles(scenarios=["s0", "s0"], personas=["aunt", "aunt"]))) == 1
    assert len(of(replays(make_golden("g", "One", "x"), "g"))) == 1


def test_long_names_stay_apart(cast):
    slug, name = "s" * 150, "p" * 100
    Scenario.objects.create(slug=slug, goal="x", opening="y")
    add_persona(name)
    names = [row.external_id for row in of(battles(scenarios=[slug], personas=[name], repeats=12))]
    assert len(set(names)) == 12
    golden = make_golden("g" * 200, "One", "x")
    assert len(of(replays(golden, repeats=3))) == 3


def test_planning_costs_the_same_queries_at_any_size(cast):
    def cost(**more) -> int:
        with CaptureQueriesContext(connection) as asked:
            battles(personas=["aunt", "uncle"], **more)
        return len(asked)

    small = cost(scenarios=["s0"])
    for number in range(3, 20):
        Scenario.objects.create(slug=f"s{number}", goal="x", opening="y")
    assert cost(scenarios="all", repeats=5) == small


def test_a_golden_session_edited_later_is_replayed_as_it_was(cast):
    run = replays(make_golden("g", "As planned", "x"))
    make_golden("g", "Edited", "x")
    play()
    assert only(run).turns.order_by("position").first().content == "As planned"
    assert only(run).spec["golden"]["number"] == 1
    assert [line.text for line in script_of(only(replays("g")).spec["golden"]["document"])] == ["Edited"]


def test_who_asked_for_a_run_is_kept(cast):
    assert TestRun.objects.get(pk=battles(triggered_by="webhook")).triggered_by == "webhook"
