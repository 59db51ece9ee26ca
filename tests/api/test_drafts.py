"""Drafts of prompts over HTTP: handed in, refused with reasons, listed, rejected."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.catalog.prompts.services.recording import record_prompt_text
from apps.improvement.models import Analysis, PromptDraft
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation

pytestmark = pytest.mark.django_db
LIVE = "# Role\nYou are {{ name }}.\n\n# Prices\nSay nothing of prices.\n\n# Legal\nPrices include VAT.\n"
BETTER = LIVE.replace("Say nothing of prices.", "Say the price of each service.")


@pytest.fixture
def door(acme: Door) -> Door:
    with in_tenant("acme"):
        record_prompt_text(name="salon", text=LIVE, revision="a1b2c3d", path="prompts/salon.md")
    return acme


def handed_in(door: Door, text: str = BETTER, **more: object):
    return door.post("drafts/", {"name": "salon", "text": text, **more})


def test_a_draft_is_answered_with_its_version_diff_and_what_may_come_next(door):
    answer = handed_in(door, base="salon@a1b2c3d", note="customers ask for prices")
    found = answer.json()
    assert answer.status_code == 201
    assert found["prompt_version"].startswith("salon@sha256-")
    assert (found["status"], found["refusals"], found["next"]) == ("proposed", [], ["try", "reject"])
    assert (found["base"], found["original"], found["base_is_live"]) == ("salon@a1b2c3d", "salon@a1b2c3d", True)
    assert (found["origin"], found["mode"], found["note"]) == ("own", "own", "customers ask for prices")
    assert "-Say nothing of prices.\n+Say the price of each service.\n" in found["diff"]
    assert "a/prompts/salon.md" in found["diff"]
    assert found["created_by"]
    assert found["created_at"]
    assert (found["trial"], found["release"], found["rejection"]) == (None, None, None)
    assert door.get(f"drafts/{found['id']}/").json() == found
    assert handed_in(door).json()["id"] == found["id"]  # the same words


def test_a_refused_draft_is_an_answer_with_each_reason_and_its_place(door):
    answer = handed_in(door, BETTER.replace("Prices include VAT.", "Prices may change.").replace("{{ name }}", "Amina"))
    found = answer.json()
    assert (answer.status_code, found["status"], found["prompt_version"]) == (201, "refused", None)
    assert [one["code"] for one in found["refusals"]] == ["protected_span", "variable"]
    first, second = found["refusals"]
    assert (first["where"]["line"], first["where"]["section"]) == (7, "Legal")
    assert found["text"][first["where"]["start"] :].startswith("# Legal")
    assert second["where"] is None
    assert found["next"] == []


def test_a_warning_has_its_place_and_stops_nothing(door):
    found = handed_in(door, BETTER.replace("Say the price of each service.", "Say it for the highest score.")).json()
    assert (found["status"], found["refusals"], found["next"]) == ("proposed", [], ["try", "reject"])
    (warning,) = found["warnings"]
    assert (warning["code"], warning["where"]["section"]) == ("judge_words", "Prices")
    assert "highest score" in warning["message"]


@pytest.mark.parametrize(
    "more, status, code, pointer",
    [
        ({"name": "nobody"}, 404, "not_found", "/name"),
        ({"text": " "}, 400, "required", "/text"),
        ({"words": "x"}, 400, "unknown_field", "/words"),
        ({"base": "salon@0000000"}, 409, "live_moved", None),
        ({"finding_number": 1}, 400, "required", "/analysis_id"),
        ({"analysis_id": str(uuid.uuid4())}, 400, "required", "/finding_number"),
        ({"analysis_id": str(uuid.uuid4()), "finding_number": 1}, 404, "not_found", "/analysis_id"),
        ({"analysis_id": str(uuid.uuid4()), "finding_number": 0}, 400, "invalid", "/finding_number"),
    ],
)
def test_bad_input_is_told_with_its_place_and_nothing_is_kept(door, more, status, code, pointer):
    answer = handed_in(door, **{"text": BETTER, **more}) if "text" not in more else handed_in(door, more["text"])
    assert answer["Content-Type"] == "application/problem+json"
    told = answer.json()
    assert (answer.status_code, told["code"], told.get("pointer")) == (status, code, pointer)
    with in_tenant("acme"):
        assert not PromptDraft.objects.exists()


def test_a_draft_names_the_finding_it_answers(door):
    judged = door.post("evaluations/", evaluation("c-1")).json()["id"]
    with in_tenant("acme"):
        analysis = Analysis.objects.create(evaluation_id=judged, findings=[{"title": "No prices"}], status="completed")
    before = handed_in(door).json()
    assert before["analysis_id"] is None
    found = handed_in(door, analysis_id=str(analysis.pk), finding_number=1).json()
    assert (found["analysis_id"], found["finding_number"]) == (str(analysis.pk), 1)
    assert found["id"] == before["id"], "the same words, which answer a finding now"
    told = handed_in(door, BETTER + "\n", analysis_id=str(analysis.pk), finding_number=2)
    assert (told.status_code, told.json()["code"]) == (422, "unknown_finding")


def test_drafts_are_listed_newest_first_by_name_and_status_with_few_queries(door):
    texts = [BETTER.replace("price of", f"price {number} of") for number in range(3)]
    ids = [handed_in(door, text).json()["id"] for text in texts]
    refused = handed_in(door, LIVE.replace("{{ name }}", "Amina")).json()["id"]
    found = door.get("drafts/?limit=2").json()
    assert [one["id"] for one in found["results"]] == [refused, ids[2]]
    assert [one["id"] for one in door.get(found["next"]).json()["results"]] == [ids[1], ids[0]]
    assert [one["id"] for one in door.get("drafts/?status=refused").json()["results"]] == [refused]
    assert door.get("drafts/?name=other").json()["results"] == []
    told = door.get("drafts/?status=gone")
    assert (told.status_code, told.json()["code"]) == (400, "bad_parameter")
    counts = []
    for limit in (1, 4):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            door.get(f"drafts/?limit={limit}")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_draft_is_rejected_once_with_a_reason(door):
    made = handed_in(door).json()["id"]
    told = door.post(f"drafts/{made}/reject/", {"reason": " "})
    assert (told.status_code, told.json()["pointer"]) == (400, "/reason")
    found = door.post(f"drafts/{made}/reject/", {"reason": "Too long a sentence for WhatsApp."}).json()
    assert (found["status"], found["next"]) == ("rejected", [])
    assert found["rejection"]["reason"] == "Too long a sentence for WhatsApp."
    assert found["rejection"]["by"]
    again = door.post(f"drafts/{made}/reject/", {"reason": "Again."})
    assert (again.status_code, again.json()["code"], again.json()["status_now"]) == (409, "wrong_state", "rejected")
    assert handed_in(door).json()["status"] == "rejected"  # the same words stay what they are


def test_a_draft_that_is_in_a_trial_is_not_rejected(door):
    made = handed_in(door).json()["id"]
    with in_tenant("acme"):
        PromptDraft.objects.update(status="in_trial")
    told = door.post(f"drafts/{made}/reject/", {"reason": "No."})
    assert (told.status_code, told.json()["code"]) == (409, "in_trial")


def test_fixes_of_two_sections_become_one_draft_and_of_one_section_wait_for_a_choice(door):
    prices = handed_in(door).json()["id"]
    cheap = handed_in(door, LIVE.replace("Say nothing of prices.", "Name the cheapest price.")).json()["id"]
    role = handed_in(door, LIVE.replace("You are {{ name }}.", "You are {{ name }}, and kind.")).json()["id"]
    answer = door.post("drafts/combine/", {"drafts": [prices, role]})
    found = answer.json()
    assert (answer.status_code, found["origin"], found["status"]) == (201, "combined", "proposed")
    assert found["parts"] == [{"draft": prices, "sections": ["Prices"]}, {"draft": role, "sections": ["Role"]}]
    waits = door.post("drafts/combine/", {"drafts": [prices, cheap, role]})
    assert (waits.status_code, waits.json()["code"]) == (409, "sections_conflict")
    assert [one["title"] for one in waits.json()["conflicts"]] == ["Prices"]
    chosen = door.post("drafts/combine/", {"drafts": [prices, cheap, role], "choices": {"2": cheap}})
    assert (chosen.status_code, "Name the cheapest price." in chosen.json()["text"]) == (201, True)


@pytest.mark.parametrize(
    "body, pointer",
    [
        ({"drafts": []}, "/drafts"),
        ({"drafts": ["x", "y"]}, "/drafts/0"),
        ({"drafts": "ab"}, "/drafts"),
        ({}, "/drafts"),
    ],
)
def test_drafts_to_combine_are_named_by_their_ids(door, body, pointer):
    refused = door.post("drafts/combine/", body)
    assert (refused.status_code, refused.json()["pointer"]) == (400, pointer)


def test_a_choice_that_is_none_is_refused(door):
    prices = handed_in(door).json()["id"]
    role = handed_in(door, LIVE.replace("You are {{ name }}.", "You are {{ name }}, and kind.")).json()["id"]
    refused = door.post("drafts/combine/", {"drafts": [prices, role], "choices": {"2": prices}})
    assert (refused.status_code, refused.json()["code"], refused.json()["pointer"]) == (400, "bad_choice", "/choices/2")
    odd = door.post("drafts/combine/", {"drafts": [prices, role], "choices": {"2": 7}})
    assert (odd.status_code, odd.json()["pointer"]) == (400, "/choices")
