"""A scenario's life: a candidate plays only when a person released it, and only where it can fail."""

import pytest
from django.db import IntegrityError, transaction

from apps.catalog.models import Criterion, Persona, Scenario
from apps.catalog.scenarios.services import releasing as scenario_release
from apps.catalog.scenarios.services.releasing import archive_scenario, create_candidate, release_scenario
from apps.core.errors import BadInput, Conflict, NotFound
from tests.catalog.samples import NOW, criterion_fields

MUST_NOT = [{"criterion": "first", "below": 6}]
MADE_OF = {"feedback": ["f-1"], "conversation_id": "c-1"}
NOBODY = "00000000-0000-0000-0000-000000000000"


def candidate(**changes):
    fields = {"slug": "late_refund", "goal": "Wants the money back.", "must_not": MUST_NOT, "provenance": MADE_OF}
    return create_candidate(**{**fields, **changes})


def the(pk):
    return Scenario.objects.get(pk=pk)


@pytest.mark.parametrize(
    "changes, code, pointer",
    [
        ({"slug": "two words"}, "invalid", "/slug"),
        ({"persona": "nobody"}, "unknown_persona", "/persona"),
        ({"language": "klingon"}, "invalid", "/language"),
        ({"must_not": [{"criterion": "gone", "below": 6}]}, "unknown_criterion", "/must_not/0/criterion"),
        ({"must_not": [{"criterion": "first", "below": 11}]}, "invalid", "/must_not/0/below"),
        ({"must_not": [*MUST_NOT, *MUST_NOT]}, "invalid", "/must_not/1/criterion"),
        ({"assertions": [{"tool": ""}]}, "invalid", "/assertions/0/tool"),
    ],
)
def test_what_cannot_be_a_candidate_names_its_field_and_nothing_is_written(criteria, changes, code, pointer):
    with pytest.raises(BadInput) as refused:
        candidate(**changes)
    assert (refused.value.code, refused.value.pointer) == (code, pointer)
    assert not Scenario.objects.exists()


def test_a_candidate_is_not_played_until_a_person_releases_it(criteria):
    Persona.objects.create(name="aunt", text="Likes it strong.")
    made = candidate(persona="aunt", family="refunds", assertions=[{"tool": "refund", "forbidden": True}])
    row = the(made)
    assert (row.status, row.origin, row.family_name, row.provenance) == ("candidate", "production", "refunds", MADE_OF)
    assert not Scenario.objects.playable().exists()
    release_scenario(scenario_id=made, by="amina", now=NOW)
    row = the(made)
    assert (row.status, row.released_by, row.released_at) == ("released", "amina", NOW)
    assert [one.pk for one in Scenario.objects.playable()] == [made]


def test_the_same_candidate_twice_is_one_and_what_became_of_it_stays(criteria):
    made = candidate()
    release_scenario(scenario_id=made, by="amina", now=NOW)
    assert candidate(goal="In other words.") == made
    assert (the(made).goal, the(made).status) == ("Wants the money back.", "released")
    with pytest.raises(BadInput) as refused:
        candidate(provenance={"feedback": ["f-2"]})
    assert refused.value.code == "scenario_exists"


def test_nothing_is_released_without_what_must_not_happen_again(criteria):
    made = candidate(must_not=[])
    with pytest.raises(Conflict) as refused:
        release_scenario(scenario_id=made, by="amina", now=NOW)
    assert refused.value.code == "nothing_must_not_happen"
    assert the(made).status == "candidate"
    with pytest.raises(IntegrityError), transaction.atomic():
        Scenario.objects.filter(pk=made).update(status="released", released_by="amina", released_at=NOW)
    checked = candidate(slug="no_refund", must_not=[], assertions=[{"tool": "refund", "forbidden": True}])
    release_scenario(scenario_id=checked, by="amina", now=NOW)
    assert the(checked).status == "released"


def test_a_criterion_that_went_away_is_told_before_the_release(criteria):
    made = candidate()
    Criterion.objects.filter(name="first").delete()
    with pytest.raises(BadInput) as refused:
        release_scenario(scenario_id=made, by="amina", now=NOW)
    assert refused.value.code == "unknown_criterion"
    Criterion.objects.create(name="first", **criterion_fields())
    release_scenario(scenario_id=made, by="amina", now=NOW)


def test_a_release_has_a_name_and_an_id_that_is_there(criteria):
    with pytest.raises(BadInput):
        release_scenario(scenario_id=candidate(), by=" ", now=NOW)
    with pytest.raises(NotFound):
        release_scenario(scenario_id=NOBODY, by="amina", now=NOW)
    with pytest.raises(NotFound):
        archive_scenario(scenario_id=NOBODY)


def test_a_draft_of_ones_own_needs_no_mark(criteria):
    own = Scenario.objects.create(slug="own", goal="x", status="draft")
    release_scenario(scenario_id=own.pk, by="amina", now=NOW)
    assert the(own.pk).status == "released"


def test_who_released_it_first_stays_and_an_archived_one_may_come_back(criteria):
    made = candidate()
    release_scenario(scenario_id=made, by="amina", now=NOW)
    release_scenario(scenario_id=made, by="ben", now=NOW)
    assert the(made).released_by == "amina"
    archive_scenario(scenario_id=made)
    assert not Scenario.objects.playable().exists()
    with pytest.raises(Conflict):
        archive_scenario(scenario_id=made)
    release_scenario(scenario_id=made, by="ben", now=NOW)
    assert (the(made).status, the(made).released_by) == ("released", "ben")


def test_what_is_edited_while_a_person_releases_it_is_not_released_unseen(criteria, monkeypatch):
    made = candidate()
    known = scenario_release._known_criteria

    def edited_meanwhile(must_not):
        Scenario.objects.filter(pk=made).update(must_not=[{"criterion": "first", "below": 1}])
        return known(must_not)

    monkeypatch.setattr(scenario_release, "_known_criteria", edited_meanwhile)
    with pytest.raises(Conflict) as refused:
        release_scenario(scenario_id=made, by="amina", now=NOW)
    assert refused.value.code == "changed_meanwhile"
    assert the(made).status == "candidate"
