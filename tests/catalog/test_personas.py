"""A persona's life: only a validated or an overridden one may play."""

import pytest
from django.db import DatabaseError, transaction

from apps.catalog.domain.persona_rules import judge_persona
from apps.catalog.domain.states import ELIGIBLE, PERSONA_MOVES, PersonaStatus
from apps.catalog.models import Persona
from apps.catalog.services import approve_override, archive, record_validation, resubmit
from apps.core.errors import BadInput, Conflict, NotFound

GOOD = {"naturalness": 8, "coherence": 7, "testability": 6}
POOR = {"naturalness": 8, "coherence": 7, "testability": 5.9}


@pytest.fixture
def persona(tenant):
    return Persona.objects.create(name="aunt", text="Likes it strong.").pk


def status(persona):
    return Persona.objects.get(pk=persona).status


def test_the_mean_decides_and_the_threshold_itself_passes():
    assert judge_persona(GOOD, threshold=7.0).status is PersonaStatus.VALIDATED
    verdict = judge_persona(POOR, threshold=7.0, reason="flat")
    assert verdict.status is PersonaStatus.REJECTED
    assert "testability" in verdict.reason
    assert "flat" in verdict.reason


@pytest.mark.parametrize(
    "scores", [{}, {"naturalness": 8, "coherence": 7}, {**GOOD, "coherence": 11}, {**GOOD, "coherence": None}]
)
def test_a_score_that_was_not_read_does_not_decide(persona, scores):
    with pytest.raises(BadInput):
        record_validation(persona_id=persona, scores=scores, threshold=7.0)
    assert status(persona) == "pending_validation"


def test_a_rejected_persona_stays_with_its_reason_and_can_be_overridden(persona):
    record_validation(persona_id=persona, scores=POOR, threshold=7.0)
    row = Persona.objects.get(pk=persona)
    assert (row.status, row.scores) == ("rejected", POOR)
    assert row.rejection_reason
    assert row.status not in ELIGIBLE
    approve_override(persona_id=persona)
    assert status(persona) in ELIGIBLE


def test_an_edited_persona_is_validated_anew(persona):
    record_validation(persona_id=persona, scores=GOOD, threshold=7.0)
    resubmit(persona_id=persona, text="Likes it weak.")
    row = Persona.objects.get(pk=persona)
    assert (row.status, row.scores, row.text) == ("pending_validation", {}, "Likes it weak.")
    with pytest.raises(Conflict):
        record_validation(persona_id=persona, scores=GOOD, threshold=7.0, text="Likes it strong.")


def test_only_a_rejected_persona_can_be_overridden_and_archived_is_the_end(persona):
    with pytest.raises(Conflict):
        approve_override(persona_id=persona)
    archive(persona_id=persona)
    for move in (approve_override, archive, resubmit):
        with pytest.raises(Conflict):
            move(persona_id=persona)


def test_the_database_itself_refuses_a_move_that_is_not_allowed(persona):
    for old, allowed in PERSONA_MOVES.items():
        for new in PersonaStatus:
            row = Persona.objects.create(name=f"{old}-{new}", text="x", status=old)
            if new is old or new in allowed:
                Persona.objects.filter(pk=row.pk).update(status=new)
            else:
                with pytest.raises(DatabaseError), transaction.atomic():
                    Persona.objects.filter(pk=row.pk).update(status=new)


def test_nobody_is_not_found(persona):
    with pytest.raises(NotFound):
        archive(persona_id="0192f0c4-0000-7000-8000-000000000000")
