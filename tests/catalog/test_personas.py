"""A persona's life: only a validated, released or an overridden one may play, and the database says so."""

from itertools import product
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from apps.catalog.domain.states import PERSONA_MOVES, PersonaStatus
from apps.catalog.models import Persona
from apps.catalog.personas.domain.rules import PERSONA_CRITERIA, judge_persona, why_not_eligible
from apps.catalog.personas.services.releasing import (
    approve_override,
    archive,
    create_persona,
    record_validation,
    release,
    resubmit,
)
from apps.core.errors import BadInput, Conflict, NotFound
from tests.catalog.samples import NOW, SCORES, add_persona

GOOD = {"naturalness": 8, "coherence": 7, "testability": 6}
POOR = {"naturalness": 8, "coherence": 7, "testability": 5.9}
WHY = {"by": "ana", "reason": "Real customers are like this.", "now": NOW}


@pytest.fixture
def persona(tenant):
    return Persona.objects.create(name="aunt", text="Likes it strong.").pk


def the(persona):
    return Persona.objects.get(pk=persona)


def test_the_mean_decides_and_the_threshold_itself_passes():
    assert judge_persona(GOOD, threshold=7.0).status is PersonaStatus.VALIDATED
    close = judge_persona({"naturalness": 6.9, "coherence": 7, "testability": 7}, threshold=7.0)
    assert close.reason.startswith("mean 6.97 is below 7;"), "what is shown is below what it is held against"
    verdict = judge_persona(POOR, threshold=7.0, reason="flat")
    assert verdict.status is PersonaStatus.REJECTED
    assert "testability" in verdict.reason
    assert "flat" in verdict.reason


def test_weights_shift_what_decides():
    heavy = {"naturalness": 1, "coherence": 1, "testability": 4}
    verdict = judge_persona(GOOD, threshold=7.0, weights=heavy)
    assert (verdict.status, round(verdict.mean, 3)) == (PersonaStatus.REJECTED, 6.5)
    assert judge_persona(POOR, threshold=7.0, weights={**heavy, "naturalness": 40}).status is PersonaStatus.VALIDATED


def test_a_persona_that_reads_well_and_plays_badly_is_rejected():
    verdict = judge_persona(GOOD, threshold=7.0, broken=["asks for the price"])
    assert verdict.status is PersonaStatus.REJECTED
    assert "asks for the price" in verdict.reason


@pytest.mark.parametrize(
    "scores", [{}, {"naturalness": 8, "coherence": 7}, {**GOOD, "coherence": 11}, {**GOOD, "coherence": None}]
)
def test_a_score_that_was_not_read_does_not_decide(persona, scores):
    with pytest.raises(BadInput):
        record_validation(persona_id=persona, scores=scores, threshold=7.0)
    assert the(persona).status == "pending_validation"


def test_a_validation_keeps_how_it_came_to_its_scores(persona):
    probes = [{"conversation": "c-1", "verdict": "kept"}]
    record_validation(
        persona_id=persona, scores=GOOD, threshold=7.0, reasons={"coherence": "all fits"}, model="m-1", probes=probes
    )
    found = the(persona).validation
    assert (found["weighted"], found["model"], found["probes"]) == (7.0, "m-1", probes)
    assert found["reasons"] == {"coherence": "all fits"}
    assert set(found["weights"]) == set(PERSONA_CRITERIA)


def test_a_rejected_persona_stays_with_its_reason_and_an_override_keeps_who_and_why(persona):
    record_validation(persona_id=persona, scores=POOR, threshold=7.0)
    row = the(persona)
    assert (row.status, row.scores, row.may_play) == ("rejected", POOR, False)
    assert row.rejection_reason
    for incomplete in ({"by": ""}, {"reason": " "}):
        with pytest.raises(BadInput):
            approve_override(persona_id=persona, **{**WHY, **incomplete})
    approve_override(persona_id=persona, **WHY)
    row = the(persona)
    assert (row.may_play, row.override_by, row.override_reason, row.overridden_at) == (
        True, "ana", "Real customers are like this.", NOW,
    )  # fmt: skip
    assert row.rejection_reason


def test_an_edited_persona_is_validated_anew_and_loses_what_was_decided(tenant):
    row = add_persona("aunt", status="approved_override", text="Likes it strong.")
    resubmit(persona_id=row.pk, text="Likes it weak.", spec={"patience": 2})
    row = the(row.pk)
    assert (row.status, row.scores, row.text, row.spec) == ("pending_validation", {}, "Likes it weak.", {"patience": 2})
    assert (row.override_by, row.overridden_at, row.validation) == ("", None, {})
    for stale in [{"text": "Likes it strong."}, {"spec": dict[str, Any]()}]:
        with pytest.raises(Conflict):
            record_validation(persona_id=row.pk, scores=GOOD, threshold=7.0, **stale)


def test_only_a_rejected_persona_can_be_overridden_and_archived_is_the_end(persona):
    with pytest.raises(Conflict):
        approve_override(persona_id=persona, **WHY)
    archive(persona_id=persona)
    for move in (archive, resubmit):
        with pytest.raises(Conflict):
            move(persona_id=persona)
    with pytest.raises(Conflict):
        release(persona_id=persona, by="ana", now=NOW)


def test_a_generated_persona_waits_for_a_curator(tenant):
    made = create_persona(name="otieno", text="Haggles.", origin="generated", needs_release=True)
    with pytest.raises(Conflict):
        release(persona_id=made, by="ana", now=NOW)
    record_validation(persona_id=made, scores=GOOD, threshold=7.0)
    assert (the(made).may_play, the(made).why_not()) == (False, "validated, but not released by a curator")
    release(persona_id=made, by="ana", now=NOW)
    release(persona_id=made, by="ben", now=NOW)
    assert (the(made).may_play, the(made).released_by) == (True, "ana")
    assert list(Persona.objects.eligible()) == [the(made)]
    resubmit(persona_id=made, text="Haggles twice.")
    record_validation(persona_id=made, scores=GOOD, threshold=7.0)
    assert not the(made).may_play


def test_a_name_is_given_once(persona):
    with pytest.raises(BadInput) as refused:
        create_persona(name="aunt", text="x")
    assert (refused.value.code, refused.value.pointer) == ("persona_exists", "/name")


def test_the_databases_column_is_the_rule(tenant):
    for status, needs, released in product(PersonaStatus, (True, False), (True, False)):
        if released and status not in ("validated", "archived"):
            continue  # refused by the table
        row = add_persona(f"{status}-{needs}-{released}", status=status, needs_release=needs)
        if released:
            Persona.objects.filter(pk=row.pk).update(released_at=NOW, released_by="ana")
        why = why_not_eligible(status=status, needs_release=needs, released=released)
        assert the(row.pk).may_play is (not why), (status, needs, released)


def test_the_database_itself_refuses_a_move_that_is_not_allowed(tenant):
    for old, allowed in PERSONA_MOVES.items():
        for new in PersonaStatus:
            rows = Persona.objects.filter(pk=add_persona(f"{old}-{new}", status=old).pk)
            whole = {"scores": SCORES, "rejection_reason": "flat", "override_by": "ana", "override_reason": "so"}
            if new is old or new in allowed:
                rows.update(status=new, overridden_at=NOW, **whole)
            else:
                with pytest.raises(DatabaseError), transaction.atomic():
                    rows.update(status=new, overridden_at=NOW, **whole)


REFUSED = {
    "made validated": "INSERT INTO catalog_persona (id, created_at, updated_at, name, language, text, status, scores, "
    "rejection_reason) VALUES (gen_random_uuid(), now(), now(), 'x', '', 'x', 'validated', '{}', '')",
    "validated without scores": "UPDATE catalog_persona SET status = 'validated' WHERE name = 'pending_validation'",
    "rejected without a reason": "UPDATE catalog_persona SET status = 'rejected' WHERE name = 'pending_validation'",
    "overridden by nobody": "UPDATE catalog_persona SET status = 'approved_override' WHERE name = 'rejected'",
    "edited and still validated": "UPDATE catalog_persona SET text = 'another' WHERE name = 'validated'",
    "another spec": "UPDATE catalog_persona SET spec = '{\"patience\": 1}' WHERE name = 'approved_override'",
    "released before it is validated": "UPDATE catalog_persona SET released_at = now(), released_by = 'ana' "
    "WHERE name = 'pending_validation'",
    "released by nobody": "UPDATE catalog_persona SET released_at = now() WHERE name = 'validated'",
    "no release wanted any more": "UPDATE catalog_persona SET needs_release = false WHERE name = 'validated'",
    "rejected and deleted": "DELETE FROM catalog_persona WHERE name = 'rejected'",
    "may play because it says so": "UPDATE catalog_persona SET may_play = true WHERE name = 'rejected'",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED)
def test_sql_goes_the_same_way_as_everybody(tenant, statement):
    for status in PersonaStatus:
        add_persona(status, status=status, needs_release=True)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_nobody_is_not_found(persona):
    nobody = "0192f0c4-0000-7000-8000-000000000000"
    for move in (lambda: archive(persona_id=nobody), lambda: release(persona_id=nobody, by="ana", now=NOW)):
        with pytest.raises(NotFound):
            move()
