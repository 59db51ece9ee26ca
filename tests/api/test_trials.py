"""Trials over HTTP: forecast, started, cancelled, lifted, released; the hold-out sets."""

import uuid
from typing import Any

import jsonschema
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.api.schema import components
from apps.catalog.models import Scenario
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.models import FamilyPart, Trial
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.test_tenants_apart import signed_in
from tests.improvement.trial_rows import NOW, gain, make_families, make_world, play

pytestmark = pytest.mark.django_db
JUDGE = {"evaluator_config": "probe"}


def fits(component: str, body: Any) -> Any:
    """The body, which is exactly as the document describes it."""
    jsonschema.validate(body, {"$ref": f"#/components/schemas/{component}", "components": {"schemas": components()}})
    return body


@pytest.fixture
def draft(acme: Door) -> str:
    with in_tenant("acme"):
        Scenario.objects.all().delete()
        return str(make_world(personas=("cousin",)))


@pytest.fixture
def person(acme: Door) -> Door:
    return signed_in("acme", "improvement.change_trial", "improvement.change_promptdraft", "improvement.view_trial",
                     "improvement.view_promptdraft")  # fmt: skip


def decide(trial: str, *, score: Any, criteria: Any = None) -> None:
    with in_tenant("acme"):
        advance_trials(now=NOW)
        play(Trial.objects.get(pk=trial), score, criteria=criteria)
        advance_trials(now=NOW)


def tried(acme: Door, draft: str, score: Any, criteria: Any = None) -> dict[str, Any]:
    made = acme.post(f"drafts/{draft}/trials/", JUDGE).json()
    decide(made["id"], score=score, criteria=criteria)
    found: dict[str, Any] = acme.get(f"trials/{made['id']}/").json()
    return found


def test_what_it_would_take_is_said_before_anything_starts(acme: Door, draft: str) -> None:
    answer = acme.post(f"drafts/{draft}/trials/", {**JUDGE, "forecast_only": True, "repeats": 2})
    found = fits("TrialForecastOnly", answer.json())["forecast"]
    assert (answer.status_code, found["conversations"], found["look"]) == (200, 48, 1)
    assert found["sentence"].startswith("48 conversations (12 scenarios of 12 families, 2 prompts)")
    assert "show a true gain of 0.9 points four times of five at look 1" in found["power"]
    with in_tenant("acme"):
        assert Trial.objects.count() == 0


def test_a_trial_is_owed_once_listed_and_read(acme: Door, draft: str) -> None:
    path = f"drafts/{draft}/trials/"
    answer = acme.post(path, {**JUDGE, "budget_usd": 2}, idempotency_key="once")
    made = fits("Trial", answer.json())
    assert (answer.status_code, made["status"], made["budget_usd"]) == (202, "pending", 2.0)
    again = acme.post(path, {**JUDGE, "budget_usd": 2}, idempotency_key="once")
    assert (again.json()["id"], again["Idempotency-Replayed"]) == (made["id"], "true")
    assert acme.post(path, JUDGE).json()["code"] == "in_trial"
    listed = fits("TrialPage", acme.get(path).json())["results"]
    assert [one["id"] for one in listed] == [made["id"]]
    assert acme.get(f"trials/{made['id']}/").json() == made
    assert made["requested_by"].startswith("key ")


def test_a_clear_gain_is_read_and_released_by_a_person_alone(acme: Door, draft: str, person: Door) -> None:
    assert acme.get(f"drafts/{draft}/release/").json()["refusal"]["code"] == "not_tried"
    found = fits("Trial", tried(acme, draft, gain(1.0)))
    assert (found["status"], found["verdict"], found["look"]) == ("completed", "better", 1)
    needs = fits("DraftRelease", acme.get(f"drafts/{draft}/release/").json())
    assert (needs["may_be_released"], needs["needs_reason"], needs["worse"]) == (True, False, [])
    assert "+Say the price of each service." in needs["patch"]
    refused = acme.post(f"drafts/{draft}/release/")
    assert (refused.status_code, refused.json()["code"]) == (403, "no_person")
    answer = person.post(f"drafts/{draft}/release/")
    made = fits("DraftReleased", answer.json())
    assert (answer.status_code, made["live"], made["patch"]) == (200, False, needs["patch"])
    assert "not yet seen live" in made["sentence"]
    after = fits("DraftRelease", person.get(f"drafts/{draft}/release/").json())
    assert (after["status"], after["patch"], after["refusal"]["code"]) == ("released", needs["patch"], "wrong_state")
    assert person.post(f"drafts/{draft}/release/").status_code == 409


def test_what_is_not_shown_takes_a_reason_and_an_acknowledgement(acme: Door, draft: str, person: Door) -> None:
    tried(acme, draft, lambda side, scenario: 5.0)
    needs = acme.get(f"drafts/{draft}/release/").json()
    assert (needs["verdict"], needs["needs_reason"], needs["needs_acknowledgement"]) == ("not_shown", True, True)
    path = f"drafts/{draft}/release/"
    for body, code, pointer in (
        ({}, "no_reason", "/reason"),
        ({"reason": "it is law"}, "not_acknowledged", "/acknowledged"),
        ({"reason": "x" * 2001}, "invalid", "/reason"),
        ({"live": True}, "unknown_field", "/live"),
    ):
        refused = person.post(path, body).json()
        assert (refused["status"], refused["code"], refused["pointer"]) == (400, code, pointer)
    assert person.post(path, {"reason": "it is law", "acknowledged": True}).status_code == 200


def test_a_block_is_lifted_by_a_person_with_a_reason(acme: Door, draft: str, person: Door) -> None:
    found = tried(acme, draft, gain(1.0), {"facts": gain(-1.6)})
    assert (found["verdict"], found["decision"]["blocked_criteria"]) == ("blocked", ["facts"])
    assert acme.get(f"drafts/{draft}/release/").json()["refusal"]["code"] == "blocked"
    path, body = f"trials/{found['id']}/lift/", {"criterion": "facts", "reason": "The old facts were wrong."}
    assert acme.post(path, body).json()["code"] == "no_person"
    assert person.post(path, {**body, "criterion": "flow"}).json()["code"] == "not_blocked"
    assert person.post(path, {**body, "reason": " "}).status_code == 400
    lifted = fits("Trial", person.post(path, body).json())
    assert (lifted["verdict"], lifted["lifted_blocks"][0]["reason"]) == ("better", body["reason"])
    assert person.post(path, body).json()["code"] == "lifted_already"
    needs = acme.get(f"drafts/{draft}/release/").json()
    assert (needs["worse"], needs["needs_acknowledgement"]) == (["facts"], True)


def test_a_trial_is_cancelled_once(acme: Door, draft: str) -> None:
    made = acme.post(f"drafts/{draft}/trials/", JUDGE).json()
    stopped = fits("Trial", acme.post(f"trials/{made['id']}/cancel/").json())
    assert (stopped["status"], stopped["look"], stopped["decision"]) == ("cancelled", None, None)
    again = acme.post(f"trials/{made['id']}/cancel/")
    assert (again.status_code, again.json()["code"]) == (409, "wrong_state")


def test_the_hold_out_tells_what_is_left_and_draws_new_families(acme: Door, draft: str) -> None:
    tried(acme, draft, gain(1.0))
    found = fits("HoldOut", acme.get("trials/hold-out/").json())
    assert (found["families"], found["needed"], found["spent"], found["left"]) == (12, 0, 1, 2)
    assert [(one["look"], one["verdict"]) for one in found["sets"][0]["looks"]] == [(1, "better")]
    assert acme.post("trials/hold-out/").json()["code"] == "hold_out_in_use"


def test_a_fresh_hold_out_is_filled_from_the_selection(acme: Door, draft: str) -> None:
    with in_tenant("acme"):
        make_families(3, first=20)
        FamilyPart.objects.filter(family__gte="family-08").update(part="selection", set_number=0)
    found = acme.get("trials/hold-out/").json()
    assert found["needed"] == 4 - (found["families"] - 8)
    assert found["sentence"].endswith("draw new families.")
    drawn = fits("HoldOutDrawn", acme.post("trials/hold-out/").json())
    assert (drawn["hold_out"]["families"], drawn["hold_out"]["needed"]) == (12, 0)
    assert drawn["drawn"] == found["needed"]


@pytest.mark.parametrize(
    "more, status, code, pointer",
    [
        ({"evaluator_config": ""}, 400, "required", "/evaluator_config"),
        ({"evaluator_config": "nope"}, 404, "not_found", None),
        ({"part": "sealed"}, 400, "invalid", "/part"),
        ({"part": "train"}, 400, "nothing_to_play", "/part"),
        ({"personas": []}, 400, "invalid", "/personas"),
        ({"personas": ["nobody"]}, 422, "unknown_personas", None),
        ({"repeats": 0}, 400, "invalid", "/repeats"),
        ({"repeats": 11}, 400, "invalid", "/repeats"),
        ({"budget_usd": -1}, 400, "invalid", "/budget_usd"),
        ({"agent": "nobody"}, 422, "unknown_agent", None),
        ({"look": 1}, 400, "unknown_field", "/look"),
    ],
)
def test_bad_input_is_told_with_its_place_and_nothing_is_kept(acme: Door, draft, more, status, code, pointer) -> None:
    answer = acme.post(f"drafts/{draft}/trials/", {**JUDGE, **more})
    told = answer.json()
    assert (answer.status_code, told["code"]) == (status, code), told
    assert pointer is None or told["pointer"] == pointer
    with in_tenant("acme"):
        assert Trial.objects.count() == 0


def test_nobodys_ids_are_404(acme: Door, person: Door) -> None:
    nobody = uuid.uuid4()
    for path in (f"trials/{nobody}/lift/", f"trials/{nobody}/cancel/", f"drafts/{nobody}/release/"):
        assert person.post(path).status_code == 404
    assert acme.post(f"drafts/{nobody}/trials/", {"x": 1}).status_code == 404


def test_reading_costs_the_same_whatever_the_size(acme: Door, draft: str) -> None:
    made = tried(acme, draft, gain(1.0))
    with CaptureQueriesContext(
        connection,
    ) as one:
        acme.get(f"drafts/{draft}/trials/")
    tried(acme, draft, gain(1.0))
    with CaptureQueriesContext(connection) as two:
        acme.get(f"drafts/{draft}/trials/")
    assert len(two) == len(one)
    with CaptureQueriesContext(connection) as document:
        acme.get(f"trials/{made['id']}/")
    assert len(document) <= 25
