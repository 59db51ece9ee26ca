"""The list of personas and the page of one: who may play, why, and what is decided with a click."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.catalog.models import Persona
from apps.runs.models import SimulatorReview
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from tests.catalog.samples import add_persona
from tests.dashboard.conftest import NOW, make_run, signed_in
from tests.dashboard.persona_samples import SPEC, a_cast
from tests.dashboard.test_pages import text_of

LIST = "/admin/catalog/persona/"


@pytest.fixture
def cast(db):
    with in_tenant("acme"):
        return a_cast()


@pytest.fixture
def curator(db):
    return signed_in("amina", superuser=True)


def state(name):
    with in_tenant("acme"):
        return Persona.objects.get(name=name)


def opened(client, pk, verb="", **fields):
    if not verb:
        return text_of(client.get(f"/personas/{pk}/"))
    return text_of(client.post(f"/personas/{pk}/{verb}/", fields, follow=True))


def test_the_list_says_in_words_who_may_play(curator, cast):
    text = text_of(curator.get(LIST))
    for words in ("waits for validation", "rejected", "approved all the same", "archived", "not released", "may play"):
        assert words in text
    assert "flat" in text  # why it was rejected
    assert "ana: good enough" in text
    rejected = text_of(curator.get(f"{LIST}?status__exact=rejected"))
    assert ("Kevo" in rejected, "Otieno" in rejected) == (True, False)
    waiting = text_of(curator.get(f"{LIST}?status__exact=validated&may_play__exact=0"))
    assert ("Otieno" in waiting, "Wanjiru" in waiting) == (True, False)


def test_a_page_shows_the_person_the_rubrics_and_how_it_was_rated(curator, cast):
    text = opened(curator, cast["Wanjiru Short-of-Time"])
    assert "may play: validated, rated 8.2 of 10." in text
    for words in (
        "accountant in Upper Hill", "A haircut before Friday noon.", "2 of 5: gives up soon", "gives a PIN",
        "Answers in one short message", "Violated when: She greets", "Reads like a person who has no time.",
        "counts 50 %", "gemini-2.5-pro", "must reach 7", "has not played yet",
    ):  # fmt: skip
        assert words.lower() in text.lower(), words


def test_an_override_wants_a_reason_and_shows_who_and_why(curator, cast):
    pk = cast["Kevo"]
    assert "Rejected because: flat" in opened(curator, pk)
    assert "Nothing was changed" in opened(curator, pk, "override", reason="  ")
    assert state("Kevo").status == "rejected"
    text = opened(curator, pk, "override", reason="Real customers write so.")
    assert "approved all the same by amina" in text
    assert "Real customers write so." in text
    assert "It had been rejected because: flat" in text
    assert state("Kevo").may_play


def test_a_generated_one_is_released_with_a_click(curator, cast):
    assert "not released by a curator" in opened(curator, cast["Otieno"])
    assert "released now by amina" in opened(curator, cast["Otieno"], "release").replace("just now", "now")
    assert state("Otieno").may_play


def test_three_scores_by_hand_are_weighed_as_the_tenant_says(curator, cast):
    scores = {"naturalness": "9", "coherence": "6,5", "testability": "5", "testability_reason": "nothing to see"}
    update_workflow_config(slug="acme", changes={"persona_weight_testability": 8.0})
    assert "must be a number" in opened(curator, cast["Mwangi"], "score", **{**scores, "coherence": "good"})
    assert state("Mwangi").status == "pending_validation"
    text = opened(curator, cast["Mwangi"], "score", **scores)
    assert "It is rejected with 5.5" in text
    assert "nothing to see" in text
    assert state("Mwangi").validation["by"] == "amina"
    assert "waits for its validation again" in opened(curator, cast["Mwangi"], "resubmit")
    assert state("Mwangi").scores == {}


def test_archived_is_the_end(curator, cast):
    opened(curator, cast["Achieng"], "archive")
    assert state("Achieng").status == "archived"
    assert "Nothing was changed" in opened(curator, cast["Achieng"], "resubmit")


def test_the_record_counts_attempts_that_were_invalid(curator, cast):
    with in_tenant("acme"):
        _, rows = make_run(4)
        for at, (row, verdict) in enumerate(zip(rows, ("kept", "broke", "leaked", "unmeasured"), strict=True)):
            row.persona_id, row.ended_at = cast["Wanjiru Short-of-Time"], NOW
            row.save(update_fields=["persona", "ended_at"])
            SimulatorReview.objects.create(conversation=row, attempt=at, verdict=verdict, reviewed_at=NOW)
    text = opened(curator, cast["Wanjiru Short-of-Time"])
    assert "2 of 3 reviewed attempts (67 %)" in text
    assert "67% of its reviewed battles were invalid." in text
    assert "4 battles; 2 of 3 reviewed invalid" in text_of(curator.get(LIST))
    shown = curator.get(f"/admin/runs/conversation/?persona__id__exact={cast['Wanjiru Short-of-Time']}")
    assert shown.status_code == 200


def test_the_list_costs_the_same_for_many(curator, cast):
    def cost():
        with CaptureQueriesContext(connection) as asked:
            curator.get(LIST)
        return len(asked)

    curator.get(LIST)
    few = cost()
    with in_tenant("acme"):
        for number in range(30):
            add_persona(f"further {number}", status="rejected")
    assert cost() == few


def form_of(**changes):
    pairs = {f"behaviours-{at}-{key}": words for at, one in enumerate(SPEC["behaviours"]) for key, words in one.items()}
    return {
        "name": "Grace", "language": "en", "text": "Grace, nurse.", "demographics": "age: 34\nwork: nurse",
        "code_mixing": "", "temper": "calm", "patience": "4", "typing": ["short"], "goal": "A facial.", "success": "",
        "knows": "her skin is sensitive", "does_not_know": "", **pairs, "hidden_constraints": "", "never": "haggles",
        **changes,
    }  # fmt: skip


def test_the_form_fills_the_structured_persona_and_an_edit_is_validated_again(curator, cast):
    added = curator.post(reverse("admin:catalog_persona_add"), form_of())
    assert added.status_code == 302, added.context["adminform"].form.errors
    grace = state("Grace")
    assert grace.spec == {
        "demographics": {"age": "34", "work": "nurse"}, "temper": "calm", "patience": 4, "typing": ["short"],
        "goal": {"text": "A facial."}, "knowledge": {"knows": ["her skin is sensitive"]},
        "behaviours": SPEC["behaviours"], "never": ["haggles"],
    }  # fmt: skip
    opened(curator, grace.pk, "score", naturalness="8", coherence="8", testability="8")
    change = reverse("admin:catalog_persona_change", args=[grace.pk])
    assert "answers only what is asked" in curator.get(change).content.decode()
    assert curator.post(change, form_of()).status_code == 302
    assert state("Grace").status == "validated"
    assert curator.post(change, form_of(never="haggles\nswears")).status_code == 302
    assert (state("Grace").status, state("Grace").spec["never"]) == ("pending_validation", ["haggles", "swears"])


@pytest.mark.parametrize(
    "changes, field, words",
    [
        ({"behaviours-1-violation": ""}, "behaviours", "Row 2: violation is required"),
        ({"behaviours-1-name": "answers only what is asked"}, "behaviours", "Row 2: name"),
        ({"demographics": "34"}, "demographics", "line 1: write it as name:value"),
        ({"temper": "x" * 61}, "temper", "at most 60"),
        ({"never": "y" * 501}, "never", "Line 1: has 501 characters"),
        ({"text": " "}, "text", "required"),
        ({"name": "Otieno"}, "name", "already exists"),
    ],
)
def test_what_is_wrong_stands_at_its_field(curator, cast, changes, field, words):
    refused = curator.post(reverse("admin:catalog_persona_add"), form_of(**changes))
    assert refused.status_code == 200
    assert words in " ".join(refused.context["adminform"].form.errors.get(field, ["nothing"])), refused.context[
        "adminform"
    ].form.errors


def test_a_viewer_sees_and_decides_nothing(cast):
    viewer = signed_in("viv", "view_persona")
    text = opened(viewer, cast["Kevo"])
    assert "Approve all the same" not in text
    assert viewer.post(f"/personas/{cast['Kevo']}/override/", {"reason": "so"}).status_code == 403
    assert viewer.get("/personas/0192f0c4-0000-7000-8000-000000000000/").status_code == 404


def test_what_is_hidden_in_a_personas_text_is_seen_on_every_page(cast, curator):
    with in_tenant("acme"):
        row = add_persona("Am\u202eina", text="I pay \u202e001 now \x1b[2J")
    for address in (LIST, f"/personas/{row.pk}/", f"{LIST}{row.pk}/change/"):
        page = curator.get(address, follow=True).content.decode()
        assert "\u202e" not in page.replace('value="Am\u202eina"', "")
        assert "\x1b" not in page
        assert "\ufffd" in page
