"""An address that nobody may connect to is refused where it is saved, by whatever door, and the field is named."""

import json

import pytest
from django.forms import modelform_factory

from apps.alerts.services.channels import add_channel
from apps.api.services.submissions import check_callback
from apps.catalog.admin.connections import AgentForm, ProviderForm
from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.outside_connections import fill_connection
from apps.catalog.connections.services.outside_kinds import outside_kinds
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import Agent, ModelProvider, OutsideConnection
from apps.core.errors import BadInput
from apps.identity.admin import IdentityProviderForm
from tests.catalog.addresses import GOOD, NONSENSE
from tests.runs.stage import NOW


def imported(section: str, row: dict[str, object]) -> None:
    import_catalog_text(text=json.dumps({section: [row]}), file="c.yaml", at=NOW)


def tool(url: str) -> dict[str, object]:
    return {"provider": "openai", "model": "x", "prompt_text": "Hello.", "tools": [{"name": "slots", "url": url}]}


def bot(address: str = "https://agent.example/", **more: object) -> dict[str, object]:
    return {"name": "bot", "kind": "http", "address": address, **more}


DOORS = {
    "/address": lambda url: save_agent(name="bot", kind="http", address=url),
    "/options/token_url": lambda url: save_agent(**bot(options={"token_url": url, "client_id": "x"})),
    "/options/endpoint": lambda url: save_agent(name="b", kind="a2a", address=GOOD[0], options={"endpoint": url}),
    "/options/tools/0/url": lambda url: save_agent(name="b", kind="prompted", address="", options=tool(url)),
    "/base_url": lambda url: save_model_provider(name="mine", kind="openai", base_url=url),
    "/agents/0/address": lambda url: imported("agents", bot(url)),
    "/agents/0/options/tools/0/url": lambda url: imported(
        "agents", bot("") | {"kind": "prompted", "options": tool(url)}
    ),
    "/agents/0/connections/0/address": lambda url: imported(
        "agents", bot(connections=[{"kind": "a2a", "address": url}])
    ),
    "/model_providers/0/base_url": lambda url: imported(
        "model_providers", {"name": "mine", "kind": "openai", "base_url": url}
    ),
    "/scenarios/0/before/0/url": lambda url: imported(
        "scenarios", {"id": "s0", "goal": "Tea.", "opening": "Hi.", "before": [{"url": url}]}
    ),
    "/scenarios/0/assertions/0/state/url": lambda url: imported(
        "scenarios",
        {"id": "s0", "goal": "Tea.", "assertions": [{"state": {"url": url, "path": "$.a", "equals": 1}}]},
    ),
    "/callback_url": lambda url: check_callback(url, now=NOW),
}


@pytest.mark.parametrize("url", NONSENSE)
@pytest.mark.parametrize("pointer", DOORS)
def test_a_service_and_a_file_refuse_it_and_name_the_field(tenant, settings, pointer: str, url: str) -> None:
    settings.PRIVATE_HOSTS = ("loopback",)
    with pytest.raises(BadInput) as refused:
        DOORS[pointer](url)
    assert refused.value.pointer == pointer
    assert not Agent.objects.exists()
    assert not ModelProvider.objects.exists()


@pytest.mark.parametrize("url", NONSENSE)
def test_a_connection_a_channel_and_a_service_outside_refuse_it(tenant, url: str) -> None:
    save_agent(name="bot", kind="a2a", address=GOOD[0])
    langfuse = OutsideConnection(kind="langfuse")
    names = {name: "x" for name in outside_kinds["langfuse"].secrets}
    for save in (
        lambda: connect_agent(agent="bot", kind="http", address=url),
        lambda: add_channel(name="ops", kind="slack", address=url, origin="https://x.example", by="amina", now=NOW),
        lambda: fill_connection(langfuse, address=url, options={}, secrets=names),
    ):
        with pytest.raises(BadInput) as refused:
            save()
        assert refused.value.pointer == "/address"


@pytest.mark.parametrize("url", NONSENSE)
def test_forms_say_it_at_the_field(tenant, url: str) -> None:
    agent = modelform_factory(Agent, form=AgentForm)(
        {"name": "bot", "kind": "http", "address": url, "options": "", "timeout_s": "60"}
    )
    provider = ProviderForm({"name": "mine", "kind": "openai", "base_url": url, "options": ""})
    issuer = IdentityProviderForm({"name": "id", "issuer": url, "client_id": "x", "new_secret": "x"})
    for form, field in ((agent, "address"), (provider, "base_url"), (issuer, "issuer")):
        assert not form.is_valid()
        assert field in form.errors, form.errors


@pytest.mark.parametrize("url", GOOD)
@pytest.mark.parametrize("pointer", [name for name in DOORS if name != "/callback_url"])
def test_a_public_name_and_what_the_operator_allows_are_saved(tenant, settings, pointer: str, url: str) -> None:
    """A name that cannot be resolved now may be there tomorrow: the guard decides whenever it connects."""
    settings.PRIVATE_HOSTS = ("loopback",)
    DOORS[pointer](url)


def test_a_private_host_needs_the_operators_word(tenant, settings) -> None:
    settings.PRIVATE_HOSTS = ()
    with pytest.raises(BadInput, match="RATIBA_PRIVATE_HOSTS"):
        save_model_provider(name="mine", kind="openai", base_url="http://10.0.0.5:11434/v1")
    settings.PRIVATE_HOSTS = ("10.0.0.0/8",)
    save_model_provider(name="mine", kind="openai", base_url="http://10.0.0.5:11434/v1")


def test_an_address_with_placeholders_is_looked_at_around_them(tenant) -> None:
    save_agent(name="bot", kind="http", address="https://{{ secret.HOST }}/chat/{{ session }}?t={{ text }}")
    save_agent(name="bot", kind="http", address="{{ secret.BASE }}/chat")
    with pytest.raises(BadInput, match="port 25"):
        save_agent(name="bot", kind="http", address="https://agent.example:25/{{ session }}")


def test_what_stands_in_the_database_already_goes_out_and_comes_back(tenant) -> None:
    """Only what is new is looked at: a catalog of a house that stored nonsense before can still be imported."""
    ModelProvider.objects.create(name="mine", kind="openai", base_url="http://agent.example:99999/")
    imported("model_providers", {"name": "mine", "kind": "openai", "base_url": "http://agent.example:99999/"})
