"""Personas over the API: who there is, and what is decided, with who and why."""

from typing import Any

import pytest

from apps.catalog.models import Persona
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.catalog.samples import add_persona
from tests.dashboard.persona_samples import SPEC

SCORES = {"naturalness": 8, "coherence": 7, "testability": 9}


@pytest.fixture
def cast(acme: Door) -> dict[str, Any]:
    with in_tenant("acme"):
        rows = [
            add_persona("otieno", needs_release=True, origin="generated", language="en", spec=SPEC),
            add_persona("kevo", status="rejected", language="mixed"),
            add_persona("mwangi", status="pending_validation"),
        ]
    return {row.name: row.pk for row in rows}


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return sorted(row["name"] for row in answer.json()["results"])


def test_the_list_is_filtered_by_what_may_play(acme: Door, cast: dict[str, Any]) -> None:
    assert names(acme.get("personas/")) == ["aunt", "kevo", "mwangi", "otieno"]
    assert names(acme.get("personas/?may_play=true")) == ["aunt"]
    assert names(acme.get("personas/?status=rejected")) == ["kevo"]
    assert names(acme.get("personas/?language=mixed&may_play=false")) == ["kevo"]
    assert names(acme.get("personas/?name=otieno")) == ["otieno"]
    for wrong in ("status=fine", "may_play=1", "state=rejected"):
        assert acme.get(f"personas/?{wrong}").status_code == 400


def test_one_says_why_it_may_not_play(acme: Door, cast: dict[str, Any]) -> None:
    found = acme.get(f"personas/{cast['otieno']}/").json()
    assert (found["may_play"], found["why_not"]) == (False, "validated, but not released by a curator")
    assert found["spec"] == SPEC
    assert found["record"] == {"battles": 0, "unusable": 0, "reviewed": 0, "invalid": 0}


def test_a_release_names_the_key(acme: Door, cast: dict[str, Any]) -> None:
    found = acme.post(f"personas/{cast['otieno']}/release/").json()
    assert found["may_play"]
    assert found["release"]["by"].startswith("key rk_")
    refused = acme.post(f"personas/{cast['mwangi']}/release/")
    assert (refused.status_code, "only a validated one" in refused.json()["detail"]) == (409, True)


def test_an_override_wants_its_reason(acme: Door, cast: dict[str, Any]) -> None:
    for body in ({}, {"reason": "  "}, {"reason": "so", "by": "somebody else"}):
        assert acme.post(f"personas/{cast['kevo']}/override/", body).status_code == 400
    found = acme.post(f"personas/{cast['kevo']}/override/", {"reason": "Real customers write so."}).json()
    assert (found["status"], found["may_play"], found["rejection_reason"]) == ("approved_override", True, "flat")
    assert found["override"]["reason"] == "Real customers write so."
    assert acme.post(f"personas/{cast['kevo']}/override/", {"reason": "again"}).status_code == 409


def test_three_scores_decide(acme: Door, cast: dict[str, Any]) -> None:
    at = f"personas/{cast['mwangi']}/validate/"
    refused = acme.post(at, {"scores": {**SCORES, "coherence": 11}})
    assert (refused.status_code, refused.json()["pointer"]) == (400, "/scores/coherence")
    found = acme.post(at, {"scores": SCORES, "reasons": {"coherence": "all fits"}}).json()
    assert (found["status"], found["scores"]) == ("validated", SCORES)
    assert found["validation"]["reasons"] == {"coherence": "all fits"}
    assert acme.post(at, {"scores": SCORES}).status_code == 409


def test_an_edit_is_validated_again_and_an_archived_one_is_not_edited(acme: Door, cast: dict[str, Any]) -> None:
    at = f"personas/{cast['otieno']}"
    refused = acme.post(f"{at}/resubmit/", {"spec": {"patience": 9}})
    assert (refused.status_code, refused.json()["pointer"]) == (400, "/spec/patience")
    found = acme.post(f"{at}/resubmit/", {"spec": {"patience": 3}}, idempotency_key="k-1").json()
    assert (found["status"], found["spec"], found["scores"]) == ("pending_validation", {"patience": 3}, {})
    again = acme.post(f"{at}/resubmit/", {"spec": {"patience": 3}}, idempotency_key="k-1")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert acme.post(f"{at}/archive/").json()["status"] == "archived"
    assert acme.post(f"{at}/resubmit/", {"text": "Anew."}).status_code == 409


def test_a_battle_with_one_that_is_not_released_is_refused(acme: Door, cast: dict[str, Any]) -> None:
    body = {"kind": "battle", "agent": "waiter", "scenarios": ["afternoon"], "personas": ["otieno"]}
    refused = acme.post("test-runs/", body)
    assert (refused.status_code, refused.json()["code"]) == (422, "persona_not_eligible")
    acme.post(f"personas/{cast['otieno']}/release/")
    assert acme.post("test-runs/", body).status_code == 202
    with in_tenant("acme"):
        assert Persona.objects.get(name="otieno").conversations.count() == 1
