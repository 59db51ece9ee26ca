"""Personas in files: a round trip changes nothing, and a status brings what it rests on."""

import pgtrigger
import pytest

from apps.catalog.files.services.exporting import catalog_as_yaml
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import Persona
from apps.catalog.personas.services.releasing import release
from apps.core.errors import BadInput
from tests.catalog.samples import NOW, SCORES, add_persona
from tests.dashboard.persona_samples import SPEC, a_cast


def bring_in(text):
    return import_catalog_text(text=text, file="personas.yaml", at=NOW)


def rows():
    left_out = {"id", "created_at", "updated_at"}
    return {
        row.name: {key: value for key, value in vars(row).items() if key not in left_out and key[0] != "_"}
        for row in Persona.objects.all()
    }


def test_a_round_trip_changes_nothing_here_and_makes_the_same_elsewhere(tenant):
    release(persona_id=a_cast()["Otieno"], by="ana", now=NOW)
    text, before = catalog_as_yaml(section="personas"), rows()
    assert not bring_in(text).changed
    assert catalog_as_yaml(section="personas") == text
    with pgtrigger.ignore():  # who was judged is not deleted
        Persona.objects.all().delete()
    assert len(bring_in(text).created["personas"]) == len(before)
    assert rows() == before
    assert catalog_as_yaml(section="personas") == text


@pytest.mark.parametrize(
    "entry, words",
    [
        ("status: validated", "/scores/naturalness is missing"),
        (
            "status: validated, scores: {naturalness: 2, coherence: 2, testability: 2}",
            "/scores: mean 2.0 is below 7; weakest: naturalness 2",
        ),
        ("status: validated, scores: {naturalness: 8, coherence: 7}", "/scores/testability is missing"),
        ("status: rejected", "/rejection_reason is missing"),
        ("status: approved_override, rejection_reason: flat", "/override is missing"),
        ("override: {by: ana, at: '2026-03-01T09:00:00Z'}", "/override/reason must not be empty"),
        ("status: rejected, rejection_reason: flat, release: {by: ana, at: '2026-03-01'}", "only a validated persona"),
        ("spec: {patience: 6}", "spec/patience must be at most 5"),
        ("spec: {behaviours: [{name: haste, instruction: Hurries.}]}", "spec/behaviours/0/violation is required"),
        ("spec: {patiense: 2}", "spec/patiense is not known here"),
    ],
)
def test_a_file_brings_what_its_status_rests_on(tenant, entry, words):
    with pytest.raises(BadInput) as refused:
        bring_in(f"personas:\n  - {{name: aunt, text: Likes it strong., {entry}}}\n")
    assert words in refused.value.message
    assert "personas.yaml, line 2" in refused.value.message
    assert not Persona.objects.exists()


def test_an_edit_in_a_file_takes_back_what_was_decided(tenant):
    add_persona("aunt", status="approved_override", text="Likes it strong.", spec=SPEC)
    report = bring_in("personas: [{name: aunt, text: Likes it strong., spec: {patience: 1}}]")
    row = Persona.objects.get()
    assert (row.status, row.spec, row.scores, row.override_by) == ("pending_validation", {"patience": 1}, {}, "")
    assert set(report.what["personas", "aunt"]) == {"spec", "status"}
    scores = "{naturalness: 8, coherence: 7, testability: 9}"
    bring_in(f"personas: [{{name: aunt, text: Likes it strong., status: validated, scores: {scores}}}]")
    row.refresh_from_db()
    assert (row.status, row.scores, row.spec) == ("validated", SCORES, {"patience": 1})
