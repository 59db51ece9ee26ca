"""The form of an agent's staging connection: what is wrong stands beside its field, whatever the kind."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.catalog.models import Agent, AgentConnection
from apps.tenants.context import in_tenant

ADDED = reverse("admin:catalog_agentconnection_add")
PROD = "https://booking.example.com/chat"
SENT = {"a2a": "prompt", "agentx": "config.prompt", "http": "config.prompt"}
OPTIONS = {"a2a": "", "agentx": "agent_name: '@BASECLASS!HelpAgent'", "http": ""}


@pytest.fixture
def curator(db) -> Client:
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps are loaded once pytest-django has set them up

    client = Client(headers={"host": "acme.localhost"}, raise_request_exception=False)
    with in_tenant("acme"):
        client.force_login(User.objects.create_superuser("amina", "", "x"))
        Agent.objects.create(name="booking", kind="scripted", address="")
        Agent.objects.create(name="other", kind="http", address=PROD)
    return client


def form(kind: str, agent: str = "booking", **changes: str) -> dict[str, str]:
    with in_tenant("acme"):
        pk = str(Agent.objects.get(name=agent).pk)
    return {
        "agent": pk, "kind": kind, "purpose": "staging", "address": "https://staging.example.com/chat",
        "prompt_field": SENT[kind], "prompt_header": "", "prompt_form": "text", "options": OPTIONS[kind],
        "timeout_s": "", "new_secrets": "", **changes,
    }  # fmt: skip


@pytest.mark.parametrize("kind", SENT)
def test_a_staging_connection_is_made_and_changed(curator: Client, kind: str) -> None:
    answer = curator.post(ADDED, form(kind))
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    with in_tenant("acme"):
        row = AgentConnection.objects.get()
        assert (row.kind, row.purpose, row.prompt_field) == (kind, "staging", SENT[kind])
    changed = curator.post(
        reverse("admin:catalog_agentconnection_change", args=[row.pk]), form(kind, prompt_form="version")
    )
    assert changed.status_code == 302
    twice = curator.post(ADDED, form(kind))
    assert twice.status_code == 200


WRONG = {
    "another scheme": "ftp://staging.example.com/",
    "no address": "",
    "a word": "staging",
    "one where customers are served": PROD,
}


@pytest.mark.parametrize("kind", SENT)
@pytest.mark.parametrize("why", WRONG)
def test_an_address_that_is_refused_is_told_beside_its_field(curator: Client, kind: str, why: str) -> None:
    with in_tenant("acme"):
        Agent.objects.filter(name="booking").update(address=PROD)
    answer = curator.post(ADDED, form(kind, address=WRONG[why], new_secrets="key=value"))
    assert answer.status_code == 200, answer.content.decode()[-1000:]
    assert set(answer.context["adminform"].form.errors) == {"address"}, answer.context["adminform"].form.errors
    with in_tenant("acme"):
        assert not AgentConnection.objects.exists()


@pytest.mark.parametrize(
    "change, field", [({"address": "ftp://x.example.com"}, "address"), ({"options": "q: 1"}, "options")]
)
def test_the_form_of_an_agent_tells_it_the_same_way(curator: Client, change: dict[str, str], field: str) -> None:
    asked = {
        "name": "third", "kind": "a2a", "address": "https://third.example.com", "options": "", "timeout_s": "60",
        "new_secrets": "key=value", "stages": "", "known_facts": "", "tool_patterns": "", **change,
    }  # fmt: skip
    answer = curator.post(reverse("admin:catalog_agent_add"), asked)
    assert answer.status_code == 200, answer.content.decode()[-1000:]
    assert field in answer.context["adminform"].form.errors
