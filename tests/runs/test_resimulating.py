"""Re-simulations: a persona pursues the goal of a golden session freely, and the run says whose goal it was."""

import pytest

from apps.catalog.models import Persona
from apps.core.errors import BadInput
from apps.runs.domain.cases import case_of
from apps.runs.models import TestRun
from apps.runs.playing.domain.resimulation import goal_of, most_messages_of, opening_of
from apps.runs.playing.services.resimulating import start_resimulations
from tests.catalog.samples import add_persona
from tests.runs.stage import NOW, OFFLINE, approve_golden, make_agent, make_golden, of, only, play, said

LINES = ("Hi, a haircut please.", "Which day?", "Friday at ten.", "Booked.")


def resimulations(*names, personas=("aunt",), **more):
    more.setdefault("simulator", OFFLINE)
    return start_resimulations(
        agent="bot", golden_sessions=list(names), personas=personas, stagger_s=(0, 0), now=NOW, **more
    )


@pytest.fixture
def cast(tenant):
    make_agent()
    add_persona("aunt", text="Likes it short.", language="en")
    return make_golden("g", *LINES)


def test_goal_opening_and_language_come_from_the_golden_session_and_the_run_names_it(cast):
    run = resimulations("g")
    row, plan = only(run), TestRun.objects.get(pk=run).plan
    assert (row.kind, row.external_id, row.language) == ("battle", "g×aunt", "en")
    assert row.spec["opening"] == LINES[0]
    assert LINES[2] in row.spec["goal"]
    assert row.spec["persona"] == "Likes it short."
    assert [(one["name"], one["number"]) for one in plan["resimulates"]] == [("g", 1)]
    assert plan["resimulates"][0]["digest"] == row.spec["golden_digest"]
    assert TestRun.objects.get(pk=run).name == "re-simulation of g with bot"
    assert case_of(row.spec, row.external_id) == "g×aunt"


def test_it_is_played_by_the_persona_from_the_opening_on(cast):
    run = resimulations("g")
    play()
    row = only(run)
    assert (row.status, row.persona.name) == ("ended", "aunt")
    assert said(row)[0] == ("user", LINES[0])
    assert ("user", LINES[2]) not in said(row)[:2]


def test_a_later_version_changes_nothing_that_was_planned(cast):
    run = resimulations("g")
    make_golden("g", "Another opening.", "Yes?")
    assert only(run).spec["opening"] == LINES[0]
    assert only(resimulations("g")).spec["opening"] == "Another opening."


def test_every_golden_session_meets_every_persona(cast):
    add_persona("uncle", text="Takes his time.")
    make_golden("h", *LINES)
    run = resimulations("g", "h", "g", personas=["uncle", "aunt"], repeats=2)
    assert [row.external_id for row in of(run)] == [
        "g×uncle#0", "g×aunt#0", "h×uncle#0", "h×aunt#0", "g×uncle#1", "g×aunt#1", "h×uncle#1", "h×aunt#1",
    ]  # fmt: skip
    assert {row.spec["seed"] for row in of(run)} == {0, 1}


def test_variables_are_filled_before_a_customer_hears_of_them(cast):
    turns = [
        {"role": "user", "content": "I am {{ customer.name }}, on {{ day+3 }}."},
        {"role": "assistant", "content": "Booked."},
    ]
    approve_golden("v", {"id": "v", "turns": turns, "variables": {"customer.name": "name", "day+3": "date"}})
    spec = only(resimulations("v")).spec
    assert "{{" not in spec["goal"] + spec["opening"]
    assert spec["language"] == "en"  # the session names none: the persona's


@pytest.mark.parametrize(
    "asked, code",
    [
        ({"personas": ["nobody"]}, "unknown_personas"),
        ({"personas": ["crook"]}, "persona_not_eligible"),
        ({"personas": []}, "invalid"),
        ({"golden": "x"}, "unknown_golden_sessions"),
        ({"repeats": 51}, "invalid"),
    ],
)
def test_what_cannot_be_played_is_refused_and_nothing_is_stored(cast, asked, code):
    add_persona("crook", status="rejected")
    golden = asked.pop("golden", "g")
    with pytest.raises(BadInput) as refused:
        resimulations(golden, **asked)
    assert refused.value.code == code
    assert not TestRun.objects.exists()


def test_eligible_means_every_persona_that_may_play(cast):
    add_persona("crook", status="rejected")
    assert [row.external_id for row in of(resimulations("g", personas="eligible"))] == ["g×aunt"]
    Persona.objects.update(status="archived")
    with pytest.raises(BadInput):
        resimulations("g", personas="eligible")


def test_of_the_eligible_those_of_another_language_are_left_out_and_named(cast):
    add_persona("zia", language="it")
    run = resimulations("g", personas="eligible")
    assert [row.external_id for row in of(run)] == ["g×aunt"]
    (one,) = TestRun.objects.get(pk=run).plan["left_out"]
    assert (one["persona"], one["why"]) == ("zia", "it is in en, and persona zia speaks it")


def test_a_session_that_begins_with_a_file_lets_the_persona_find_its_words():
    document = {
        "turns": [
            {"role": "user", "content": "", "file_attachment": {"name": "Zelle.pdf"}},
            {"role": "assistant", "content": "Thank you."},
        ]
    }
    assert opening_of(document) == ""
    assert "(with the file Zelle.pdf)" in goal_of(document)
    assert "You cannot send files" in goal_of(document)
    assert (most_messages_of(document), most_messages_of({"turns": document["turns"] * 500})) == (20, 400)
    assert goal_of({**document, "goal": " Get a refund. "}) == "Get a refund."
