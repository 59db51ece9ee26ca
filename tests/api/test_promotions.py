"""A conversation becomes a test over the API."""

import uuid

import pytest

from apps.catalog.models import Criterion, Scenario
from apps.production.models import Promotion
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from tests.api.api_client import Door, conversation

PATH = "promotions/"


@pytest.fixture
def said(acme: Door) -> str:
    Tenant.objects.filter(slug="acme").update(vertical="salon")
    with in_tenant("acme"):
        Criterion.objects.get_or_create(name="price_clarity")
    acme.post("production/conversations/", conversation("chat-1") | {"ended": True})
    posted = acme.post("production/conversations/", conversation("chat-1") | {"ended": True})
    acme.post("feedback/", {"id": "f-1", "conversation_id": "chat-1", "rating": "down"})
    return posted.json()["conversation_id"]


def test_it_is_a_candidate_once(acme: Door, said: str) -> None:
    body = {"conversation_id": said, "feedback_id": "f-1", "must_not": [{"criterion": "price_clarity", "below": 6}]}
    made = acme.post(PATH, body)
    assert made.status_code == 201, made.content
    assert made.json()["status"] == "candidate"
    assert made.json()["must_not"] == [{"criterion": "price_clarity", "below": 6}]
    again = acme.post(PATH, body)
    assert (again.status_code, again.json()["created"]) == (200, False)
    assert again.json()["scenario_id"] == made.json()["scenario_id"]
    with in_tenant("acme"):
        row = Promotion.objects.get()
        assert row.scenario.provenance["by"].startswith("key ")
        assert Scenario.objects.filter(origin="production").count() == 1


@pytest.mark.parametrize(
    "more, status, code, pointer",
    [
        ({"conversation_id": str(uuid.uuid4())}, 404, "not_found", "/conversation_id"),
        ({"conversation_id": "no id"}, 404, "not_found", "/conversation_id"),
        ({"conversation_id": 3}, 400, "invalid", "/conversation_id"),
        ({"must_not": [{"criterion": "price_clarity", "below": 11}]}, 400, "invalid", "/must_not/0/below"),
        ({"must_not": [{"criterion": "nobody", "below": 6}]}, 422, "unknown_criterion", "/must_not/0/criterion"),
        ({"feedback_id": "f-9"}, 422, "unknown_feedback", "/feedback_id"),
        ({"release": True}, 400, "unknown_field", "/release"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(acme: Door, said: str, more, status, code, pointer) -> None:
    answer = acme.post(PATH, {"conversation_id": said, **more})
    body = answer.json()
    assert (answer.status_code, body["code"], body.get("pointer")) == (status, code, pointer), body
    with in_tenant("acme"):
        assert Promotion.objects.count() == 0


def test_another_tenant_has_no_such_conversation(acme: Door, beta: Door, said: str) -> None:
    assert beta.post(PATH, {"conversation_id": said}).status_code == 404


def test_a_blocked_vertical_is_told_in_the_words_of_the_decision(acme: Door, said: str) -> None:
    Tenant.objects.filter(slug="acme").update(vertical="medical")
    answer = acme.post(PATH, {"conversation_id": said})
    assert (answer.status_code, answer.json()["code"]) == (409, "vertical_blocked")
    assert "requires the future privacy ADR's masking rules" in answer.json()["detail"]
