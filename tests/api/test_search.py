"""Search over HTTP: a reading key finds words, and what cannot be searched for is a problem with its field."""

from urllib.parse import quote

import pytest
from django.test import Client

from apps.api.services.keys import add_api_key
from apps.runs.models import Conversation, TestRun, Turn
from apps.runs.services.word_index import index_words
from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import KeyScope
from tests.api.api_client import Door
from tests.dashboard.conftest import signed_in

SEARCH = "search/"


@pytest.fixture
def said(acme: Door) -> Conversation:
    with in_tenant("acme"):
        run = TestRun.objects.create(kind="imported", status="completed", name="Saluni", plan={})
        row = Conversation.objects.create(run=run, position=0, external_id="b-1", kind="imported", status="ended")
        Turn.objects.create(conversation=row, position=0, purpose="message", role="user", content="Kesho saa tano")
        index_words()
    return row


def test_a_reading_key_finds_a_turn_with_the_address_of_its_page(acme: Door, beta: Door, said: Conversation) -> None:
    with in_tenant("acme"):
        reader = add_api_key(name="reader", scopes=[KeyScope.READ]).secret
    found = Door("acme", reader).get(f"{SEARCH}?q=KESH%20tan").json()
    assert found["words"] == ["kesh", "tan"]
    hit = found["results"][0]
    assert (hit["kind"], hit["excerpt"], hit["turn"]) == ("turn", "Kesho saa tano", 0)
    assert hit["url"] == f"http://acme.localhost/conversations/{said.pk}/#turn-0"
    assert beta.get(f"{SEARCH}?q=kesho").json()["results"] == [], "another tenant's words are nobody's here"
    assert acme.post(SEARCH, {}).status_code == 405


@pytest.mark.parametrize("q", ["", "x" * 10_000, "&|!<>()*:", "👍🏽", " ".join("abcdefghijklmnop")])
def test_what_cannot_be_searched_for_is_told(acme: Door, q: str) -> None:
    answer = acme.get(f"{SEARCH}?q={quote(q)}")
    assert answer.status_code == 400
    assert (answer.json()["code"], answer.json()["pointer"]) == ("bad_query", "/q")


def test_a_nul_and_a_parameter_that_nobody_reads_are_refused(acme: Door) -> None:
    assert acme.get(f"{SEARCH}?q=a%00b").json()["code"] == "bad_parameter"
    assert acme.get(f"{SEARCH}?q=kesho&limit=5").json()["code"] == "unknown_parameter"


@pytest.mark.parametrize("rights", [("add_humanlabel",), ("view_conversation",), ("view_evaluation",)])
def test_a_person_needs_the_right_to_read_conversations_and_scores(said: Conversation, rights: tuple[str, ...]) -> None:
    client: Client = signed_in("rater", *rights)
    answer = client.get("/api/v1/search/?q=kesho")
    assert answer.status_code == 403
    assert "tano" not in answer.content.decode()
    both = signed_in("reader", "view_conversation", "view_evaluation", "view_testrun")
    assert len(both.get("/api/v1/search/?q=kesho").json()["results"]) == 1
