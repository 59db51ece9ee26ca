"""*Try your agent*: from an address to a started first run, and what is said where it is none of an agent."""

import json

import pytest
from django.utils import timezone

from apps.catalog.connections.services.storing import save_agent
from apps.catalog.models import Agent
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.domain.businesses import BUSINESSES
from apps.evaluations.requests.services.first_run import CUSTOMERS, agent_name, start_first_run
from apps.jobs.services.interactive import run_due
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_pages import text_of
from tests.loopback.http_server import Answer, LoopbackServer

FORM = {"business": "telecom", "language": "sw"}


def tried(client, address, **form):
    """The page after a worker did what was asked for."""
    answer = client.post("/try/", {**FORM, "address": address, **form})
    if answer.status_code != 302:
        return answer
    page = answer["location"]
    assert "found out how your agent speaks" in text_of(client.get(page))
    with in_tenant("acme"):
        run_due(now=timezone.now, until=timezone.now())
    return client.get(page)


def test_an_address_is_enough_for_a_first_run(owner):
    assert "Try your agent" in text_of(owner.get("/admin/"))
    said = json.dumps({"answer": "Bando la wiki ni KES 250.", "conversation_id": "c1"}).encode()
    with LoopbackServer(
        lambda request: Answer(body=said) if request.method == "POST" else Answer(status=404)
    ) as server:
        page = tried(owner, f"{server.url}/talk")
        name = agent_name(server.url)
    assert "8 customers talk to it now" in text_of(page)
    assert "Bando la wiki ni KES 250." in text_of(page)
    with in_tenant("acme"):
        agent = Agent.objects.get(name=name)
        assert agent.options["body"] == {"message": "{{ text }}", "conversation_id": "{{ session }}"}
        assert Conversation.objects.count() == CUSTOMERS
        assert f"/evaluations/{Evaluation.objects.get().pk}/" in page.content.decode()
        assert Evaluation.objects.get().config_ref == "telecom-support@1"


def test_what_is_no_agent_is_told_with_all_that_was_tried_and_nothing_is_made(owner):
    with LoopbackServer(lambda _request: Answer(status=404)) as server:
        page = text_of(tried(owner, server.url))
    assert "No first run was started" in page
    assert "no A2A card" in page
    with in_tenant("acme"):
        assert not Agent.objects.exists()
        assert not TestRun.objects.exists()


@pytest.mark.parametrize(
    "form, problem",
    [({"address": "ftp://x"}, "is no web address"), ({"address": "x", "business": "moon"}, "is none of salon")],
)
def test_a_form_that_says_nothing_useful_is_refused_on_the_page(owner, form, problem):
    assert problem in text_of(owner.post("/try/", {**FORM, **form}))


def test_who_may_not_add_agents_tries_none(db):
    assert signed_in("neema", "view_agent", "view_testrun").get("/try/").status_code == 403


@pytest.mark.parametrize("name", BUSINESSES)
@pytest.mark.parametrize("language", ["en", "sw", "it"])
def test_every_business_has_customers_in_every_language_that_is_asked_for(db, name, language):
    with in_tenant("acme"):
        save_agent(name="booking", kind="http", address="http://127.0.0.1:9009/")
        business = BUSINESSES[name]
        first = start_first_run(agent="booking", business=business, language=language, by="amina", now=timezone.now())
        assert 6 <= first.customers * first.repeats <= CUSTOMERS
        assert first.customers * first.repeats == Conversation.objects.filter(run=first.run_id).count()
