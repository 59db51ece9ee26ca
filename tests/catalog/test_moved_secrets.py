"""A stored secret goes to no other place than it was entered for, by whatever door the address changes."""

import json

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from apps.catalog.connections.domain.secret_destinations import ANY_SERVER, new_destinations
from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import Agent, AgentConnection, ModelProvider
from apps.core.errors import BadInput
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.runs.stage import NOW, make_golden, play, replays

HERE, THERE = "https://agent.example/a2a", "https://elsewhere.example/a2a"
SECRET = "s3cret-value"


@pytest.mark.parametrize(
    "after, found",
    [
        ((HERE, {}), ()),
        (("https://AGENT.example:443/a2a/", {}), ()),
        (("https://agent.example/a2a/of/another", {}), ("https://agent.example:443/a2a/of/another",)),
        ((THERE, {}), ("https://elsewhere.example:443/a2a",)),
        (("http://agent.example/a2a", {}), ("http://agent.example:80/a2a",)),
        (("https://agent.example:8443/", {}), ("https://agent.example:8443",)),
        (("https://agent.example@elsewhere.example/", {}), ("https://elsewhere.example:443",)),
        ((HERE, {"token_url": "https://tokens.example/t"}), ("https://tokens.example:443/t",)),
        ((HERE, {"create": {"a": ["//x.example/y"]}}), ("//x.example/y",)),
        ((HERE, {"allow_other_host": True}), (ANY_SERVER,)),
        ((HERE, {"stream": False, "scope": "a b"}), ()),
    ],
)
def test_a_destination_is_a_place_that_settings_name(after, found):
    assert new_destinations((HERE, {}), after) == found


def test_a_token_url_that_goes_needs_no_new_secret():
    assert new_destinations((HERE, {"token_url": "https://tokens.example/t"}), (HERE, {})) == ()
    assert new_destinations(("http://localhost:2/x", {}), ("http://127.0.0.1:2/x", {})) == ()


@pytest.fixture
def stored(tenant):
    store()


def store():
    save_agent(name="bot", kind="a2a", address=HERE, secrets={"bearer_token": SECRET})
    connect_agent(agent="bot", kind="http", address=HERE, secrets={"key": SECRET})
    save_model_provider(name="mine", kind="openai", base_url="https://models.example/v1", api_key=SECRET)


def test_services_ask_for_the_secrets_again(stored):
    for change in (
        lambda: save_agent(name="bot", kind="a2a", address=THERE),
        lambda: save_agent(name="bot", kind="a2a", address=HERE, options={"token_url": THERE}),
        lambda: connect_agent(agent="bot", kind="http", address=THERE),
        lambda: save_model_provider(name="mine", kind="openai", base_url="https://elsewhere.example/v1"),
    ):
        with pytest.raises(BadInput, match=r"elsewhere\.example.*enter the secrets again") as refused:
            change()
        assert (refused.value.code, refused.value.pointer) == ("other_server", "/secrets")
        assert SECRET not in str(refused.value)
    with pytest.raises(BadInput, match=r"agent\.example:443/a2a/v2"):  # a gateway may part its customers by path
        save_agent(name="bot", kind="a2a", address=HERE + "/v2")
    save_agent(name="bot", kind="a2a", address=HERE + "/")
    assert Agent.objects.get().secrets == {"bearer_token": SECRET}
    save_agent(name="bot", kind="a2a", address=THERE, secrets={})
    assert Agent.objects.get().secrets == {}


def yaml(agent=HERE, way=HERE, provider="https://models.example/v1", **options):
    bot = {"name": "bot", "kind": "a2a", "address": agent, "options": options}
    bot["connections"] = [{"kind": "http", "address": way}]
    mine = {"name": "mine", "kind": "openai", "base_url": provider}
    return json.dumps({"agents": [bot], "model_providers": [mine]})


def secrets():
    return (Agent.objects.get().secrets, AgentConnection.objects.get().secrets, ModelProvider.objects.get().api_key)


def imported(text, **more):
    return import_catalog_text(text=text, file="c.yaml", at=NOW, **more)


@pytest.mark.parametrize(
    "moved, lost, name",
    [
        ({"agent": THERE}, 0, "agent bot"),
        ({"provider": "https://elsewhere.example/v1/"}, 2, "model provider mine"),
        ({"token_url": THERE}, 0, "agent bot"),
        ({"way": THERE}, 1, "agent bot: the connection http"),
        ({"provider": "https://elsewhere.example/v1"}, 2, "model provider mine"),
    ],
)
def test_an_imported_address_leaves_the_secret_behind_and_says_so(stored, moved, lost, name):
    report = imported(yaml(**moved))
    assert [not one for one in secrets()] == [place == lost for place in range(3)]
    (note,) = report.notes
    assert note.startswith(f"{name} now names https://elsewhere.example:443")
    assert "enter them again" in note


def test_another_path_on_the_same_server_leaves_the_secret_behind_too(stored):
    report = imported(yaml(provider="https://models.example/customer-2/v1"))
    assert [bool(one) for one in secrets()] == [True, True, False]
    (note,) = report.notes
    assert note.startswith("model provider mine now names https://models.example:443/customer-2/v1: its stored secrets")


def test_an_import_that_moves_nothing_or_only_looks_leaves_every_secret(stored):
    before = secrets()
    assert imported(yaml(agent=HERE + "/")).notes == []
    assert len(imported(yaml(agent=THERE, way=THERE), only_look=True).notes) == 2
    assert secrets() == before


FORM = {"name": "bot", "kind": "a2a", "options": "{}", "timeout_s": "60"}


@pytest.fixture
def curator(db):
    client = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        client.force_login(get_user_model().objects.create_superuser("amina", "", "x"))
        store()
    return client


def stored_in_acme():
    with in_tenant("acme"):
        return secrets()


CONNECTION = {"kind": "http", "purpose": "production", "prompt_form": "text"}
MOVED = {"options": json.dumps({"token_url": THERE})}


@pytest.mark.parametrize(
    "model, form, field",
    [
        (Agent, {**FORM, "address": THERE}, "new_secrets"),
        (Agent, {**FORM, "address": HERE, **MOVED}, "new_secrets"),
        (AgentConnection, {**CONNECTION, "address": THERE, "options": "{}"}, "new_secrets"),
        (ModelProvider, {"name": "mine", "kind": "openai", "base_url": THERE, "options": "{}"}, "new_key"),
    ],
)
def test_forms_ask_for_the_secret_again(curator, model, form, field):
    with in_tenant("acme"):
        row, agent = model.objects.get(), Agent.objects.get()
    before = stored_in_acme()
    url = reverse(f"admin:catalog_{model._meta.model_name}_change", args=[row.pk])
    form |= {"agent": str(agent.pk)} if model is AgentConnection else {}
    answer = curator.post(url, form)
    assert answer.status_code == 200
    errors = answer.context["adminform"].form.errors
    assert list(errors) == [field]
    assert "enter the secrets again" in errors[field][0]
    assert stored_in_acme() == before
    entered = "another" if model is ModelProvider else "bearer_token=another"
    assert curator.post(url, {**form, field: entered}).status_code == 302
    assert stored_in_acme() != before


def test_a_run_that_was_planned_before_sends_a_new_secret_to_no_old_address(tenant):
    save_agent(name="bot", kind="a2a", address=HERE, secrets={"bearer_token": SECRET})
    run = replays(make_golden("g", "Hi", "Hello"))
    save_agent(name="bot", kind="a2a", address=THERE, secrets={"bearer_token": "the next one"})
    play()
    row = Conversation.objects.get(run_id=run)
    assert (row.status, row.blame, row.error_code) == ("failed", "platform", "agent_moved")
    assert "agent.example" in row.error_message
    assert "Start a new run" in row.error_message
