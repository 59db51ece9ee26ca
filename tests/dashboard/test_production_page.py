"""The page of production: what came in, what customers pressed, what is held; and the thumbs of one conversation."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.catalog.models import Agent
from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.feedback import take_feedback
from apps.production.models import Feedback, ProductionConversation
from apps.production.promotion.services.promoting import promote_conversation
from apps.production.retention.services.deleting import delete_all_expired
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from tests.dashboard.conftest import make_run, signed_in
from tests.dashboard.test_pages import text_of
from tests.production.test_intake import document


def came(id: str, *said: str, days: int = 0, **more: object) -> uuid.UUID:
    now = timezone.now() - timedelta(days=days)
    return take_conversation(raw=document(id, *said, ended=True, **more), now=now).conversation_id


def pressed(conversation: uuid.UUID, rating: str, comment: str = "") -> None:
    body = {"id": str(uuid.uuid4()), "conversation_id": str(conversation), "rating": rating, "comment": comment}
    take_feedback(body=body, now=timezone.now())


@pytest.fixture
def real(db: None) -> uuid.UUID:
    """Three conversations of two channels, one with a thumbs-down and a comment."""
    Tenant.objects.filter(slug="acme").update(vertical="salon")
    with in_tenant("acme"):
        Agent.objects.create(name="booking", kind="scripted", options={"replies": ["Hi"]})
        bad = came("bad", "You told me the wrong hour", "Sorry", channel="whatsapp", prompt_version="booking@1")
        pressed(bad, "down", "wamenichelewesha, 0712345678")
        pressed(came("good", channel="web", prompt_version="booking@2"), "up")
        came("quiet", channel="web", prompt_version="booking@2")
        return bad


def test_without_any_it_says_how_to_send_the_first_one(owner: Client) -> None:
    page = owner.get("/production/")
    text = text_of(page)
    assert "No real conversation has come in yet." in text
    assert "curl" in text
    assert "http://acme.localhost/api/v1/production/conversations/" in text
    assert "import_production chats.jsonl --tenant acme" in text


def test_it_shows_what_came_in_and_what_customers_said_by_version_and_channel(owner: Client, real: uuid.UUID) -> None:
    page = owner.get("/production/")
    text = text_of(page)
    assert "3 real conversations came in within 14 days, 1 thumbs-down this week" in text
    assert "1 up · 1 down · 1 comment" in text
    assert "booking 3 3 3" in text
    assert "booking@1 whatsapp 1 0 1 1" in text
    assert "booking@2 web 2 1 0 0" in text
    assert "3 conversations, 14 days each" in text
    assert "0 failures that customers had met did not come back" in text
    assert "You told me the wrong hour" in text
    assert "💬 wamenichelewesha, +254 7** *** 678" in text


def test_a_negative_one_becomes_a_test_from_here(owner: Client, real: uuid.UUID) -> None:
    assert f"/conversations/{real}/test/" in owner.get("/production/").content.decode()
    owner.post(f"/conversations/{real}/test/")
    text = text_of(owner.get("/production/"))
    assert "Make this a test" not in text
    assert "Open the candidates (1)" in text
    assert "It became the test production_" in text_of(owner.get(f"/conversations/{real}/"))


def test_thumbs_of_the_team_are_counted_once_each(owner: Client, real: uuid.UUID) -> None:
    for _ in range(3):
        owner.post(f"/conversations/{real}/rate/", {"rating": "down", "comment": ""})
    said = owner.post(f"/conversations/{real}/rate/", {"rating": "comment", "comment": "call 0712345678"}, follow=True)
    assert "call +254 7** *** 678 amina" in text_of(said)
    with in_tenant("acme"):
        assert Feedback.objects.filter(given_by="amina").count() == 2
    refused = owner.post(f"/conversations/{real}/rate/", {"rating": "comment"}, follow=True)
    assert "comment is required" in text_of(refused)
    assert "is no rating" in text_of(owner.post(f"/conversations/{real}/rate/", {"rating": "x"}, follow=True))


def test_a_test_s_conversation_has_no_thumbs(owner: Client, real: uuid.UUID) -> None:
    with in_tenant("acme"):
        _, (row,) = make_run(1)
    assert "What was said of it" not in text_of(owner.get(f"/conversations/{row.pk}/"))
    assert owner.post(f"/conversations/{row.pk}/rate/", {"rating": "up"}).status_code == 404


def test_what_was_deleted_says_so_and_takes_no_more_thumbs(owner: Client, real: uuid.UUID) -> None:
    with in_tenant("acme"):
        old = came("old", days=20)
        pressed(old, "down")
        assert "1 conversation is to be deleted" in text_of(owner.get("/production/"))
        delete_all_expired(now=timezone.now())
        assert ProductionConversation.objects.filter(deleted_at__isnull=False).count() == 1
    text = text_of(owner.get(f"/conversations/{old}/"))
    assert "its words were deleted" in text
    assert "Comment only" not in text
    assert "3 conversations, 14 days each" in text_of(owner.get("/production/"))


def test_a_viewer_reads_it_and_presses_nothing(real: uuid.UUID) -> None:
    viewer = signed_in("zawadi", "view_productionconversation", "view_conversation", "view_testrun")
    page = viewer.get("/production/").content.decode()
    assert "You told me the wrong hour" in page
    assert "Make this a test" not in page
    assert viewer.post(f"/conversations/{real}/rate/", {"rating": "up"}).status_code == 403
    assert signed_in("nobody", "view_testrun").get("/production/").status_code == 403


def test_it_costs_the_same_queries_however_many_there_are(
    owner: Client, real: uuid.UUID, django_assert_max_num_queries: Any
) -> None:
    with in_tenant("acme"):
        for number in range(15):
            one = came(f"c-{number}", f"I want braids on day {number} of the month")
            pressed(one, "down")
            if number % 2:
                promote_conversation(conversation_id=one, by="amina", now=timezone.now())
    owner.get("/production/")
    with django_assert_max_num_queries(29) as few:
        owner.get("/production/")
    with in_tenant("acme"):
        for number in range(15, 40):
            pressed(came(f"c-{number}", f"And a wash on day {number}"), "down")
    with django_assert_max_num_queries(len(few)):
        owner.get("/production/")
