"""One agent, several ways to reach it: kept, frozen into plans, exported, and their secrets never shown."""

import pytest
from cryptography.fernet import Fernet

from apps.catalog.connections.queries.agents import connection_specs
from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.key_rotation import reencrypt_secrets
from apps.catalog.connections.services.storing import save_agent
from apps.catalog.files.services.exporting import catalog_as_yaml
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import Agent, AgentConnection
from apps.core.errors import BadInput, NotFound
from apps.runs.models import TestRun
from tests.runs.stage import NOW, make_agent, make_golden, only, replays

SECRET = "pemba-secret"


@pytest.fixture
def campaign(tenant):
    make_agent(name="campaign")
    connect_agent(
        agent="campaign", kind="http", address="http://127.0.0.1:10/chat", secrets={"key": SECRET}, timeout_s=90
    )
    return Agent.objects.get()


def test_connectors_get_every_connection_with_its_secrets(campaign):
    connect_agent(agent="campaign", kind="a2a", address="http://127.0.0.1:10/")
    specs = connection_specs(campaign.pk)
    assert {kind: spec.timeout_s for kind, spec in specs.items()} == {"scripted": 5.0, "a2a": 5.0, "http": 90.0}
    assert specs["http"].secrets == {"key": SECRET}


def test_a_plan_freezes_the_connections_and_no_secret(campaign):
    run = TestRun.objects.get(pk=replays(make_golden("g", "Hi", "Hello"), agent="campaign"))
    connect_agent(agent="campaign", kind="http", address="http://127.0.0.1:10/moved", secrets={"key": SECRET})
    assert run.plan["agent"]["connections"] == [
        {"kind": "http", "address": "http://127.0.0.1:10/chat", "options": {}, "timeout_s": 90.0}
    ]
    assert SECRET not in str(run.plan)


def test_a_replays_spec_holds_the_whole_version(campaign):
    spec = only(replays(make_golden("g", "Hi", "Hello"), agent="campaign")).spec
    assert spec["golden"]["document"]["turns"][1] == {"role": "assistant", "content": "Hello"}
    assert (spec["golden"]["number"], spec["golden"]["digest"]) == (1, spec["golden_digest"])


@pytest.mark.parametrize(
    "asked, pointer",
    [
        ({"kind": "scripted", "address": ""}, "/kind"),  # the agent's own
        ({"kind": "pigeon", "address": "http://x"}, "/kind"),
        ({"kind": "http", "address": "ftp://x"}, "/address"),
        ({"kind": "http", "address": "http://x", "options": {"no such": 1}}, "/options/no such"),
        ({"kind": "http", "address": "http://x", "options": {"api_key": "abc"}}, "/options/api_key"),
        ({"kind": "http", "address": "http://x", "timeout_s": 0}, "/timeout_s"),
        ({"kind": "http", "address": "http://x", "timeout_s": 301}, "/timeout_s"),
    ],
)
def test_what_cannot_work_is_refused_and_names_the_field(campaign, asked, pointer):
    AgentConnection.objects.all().delete()
    with pytest.raises(BadInput) as refused:
        connect_agent(agent="campaign", **asked)
    assert refused.value.pointer == pointer
    assert not AgentConnection.objects.exists()
    with pytest.raises(NotFound):
        connect_agent(agent="moon", kind="http", address="http://x")


STAGING = {
    "kind": "http", "purpose": "staging", "address": "http://127.0.0.1:10/staging", "prompt_field": "config.prompt",
    "prompt_header": "X-Prompt", "prompt_form": "version",
}  # fmt: skip


def test_a_staging_connection_stands_beside_production_of_the_same_kind_and_no_run_takes_it_unasked(campaign):
    connect_agent(agent="campaign", **STAGING, secrets={"key": "test"})
    connect_agent(agent="campaign", **STAGING | {"prompt_form": "text"})  # the same one, changed
    assert AgentConnection.objects.count() == 2
    assert connection_specs(campaign.pk)["http"].address == "http://127.0.0.1:10/chat"
    assert connection_specs(campaign.pk)["http"].secrets == {"key": SECRET}
    staging = connection_specs(campaign.pk, purpose="staging")
    assert {kind: (spec.address, spec.secrets) for kind, spec in staging.items()} == {
        "http": ("http://127.0.0.1:10/staging", {"key": "test"})
    }
    run = TestRun.objects.get(pk=replays(make_golden("g", "Hi", "Hello"), agent="campaign"))
    assert [one["address"] for one in run.plan["agent"]["connections"]] == ["http://127.0.0.1:10/chat"]


@pytest.mark.parametrize(
    "change, pointer",
    [
        ({"purpose": "testing"}, "/purpose"),
        ({"prompt_field": "", "prompt_header": ""}, "/prompt_field"),
        ({"prompt_field": "two words"}, "/prompt_field"),
        ({"prompt_field": "message"}, "/prompt_field"),  # what the customer says stands there
        ({"prompt_header": "Authorization"}, "/prompt_header"),
        ({"prompt_form": "digest"}, "/prompt_form"),
        ({"purpose": "production"}, "/prompt_field"),
        ({"kind": "scripted", "prompt_field": "", "prompt_header": ""}, "/kind"),
        ({"kind": "pulled", "prompt_header": ""}, "/prompt_field"),
        ({"kind": "prompted"}, "/prompt_field"),
        ({"address": "http://127.0.0.1:10/chat/"}, "/address"),  # production
    ],
)
def test_a_staging_connection_that_cannot_take_a_prompt_is_refused_and_names_the_field(campaign, change, pointer):
    with pytest.raises(BadInput) as refused:
        connect_agent(agent="campaign", **STAGING | change)
    assert refused.value.pointer == pointer
    assert AgentConnection.objects.count() == 1


def test_a_staging_connection_comes_back_from_its_file_and_a_wrong_one_is_placed(campaign):
    connect_agent(agent="campaign", **STAGING)
    text = catalog_as_yaml()
    assert "purpose: staging" in text
    assert text.count("purpose") == 1  # a file of before reads the same
    AgentConnection.objects.all().delete()
    import_catalog_text(text=text, file="catalog.yaml", at=NOW)
    assert catalog_as_yaml() == text
    row = AgentConnection.objects.get(purpose="staging")
    assert {name: getattr(row, name) for name in STAGING} == STAGING
    with pytest.raises(BadInput) as refused:
        import_catalog_text(text=text.replace("purpose: staging", "purpose: testing"), file="catalog.yaml", at=NOW)
    assert refused.value.pointer.startswith("/agents/0/connections/")
    twice = "agents: [{name: campaign, kind: scripted, connections: [%s, %s]}]" % (
        (str({name: value for name, value in STAGING.items()}),) * 2
    )
    with pytest.raises(BadInput, match="stands twice for staging"):
        import_catalog_text(text=twice, file="c", at=NOW)


def test_a_yaml_round_trip_changes_nothing_and_holds_no_secret(campaign):
    text = catalog_as_yaml()
    assert "http://127.0.0.1:10/chat" in text
    assert SECRET not in text
    report = import_catalog_text(text=text, file="catalog.yaml", at=NOW)
    assert (report.changed, catalog_as_yaml()) == (False, text)
    AgentConnection.objects.all().delete()
    report = import_catalog_text(text=text, file="catalog.yaml", at=NOW)
    assert report.changed_items == [("agents", "campaign", ["connections"])]
    assert catalog_as_yaml() == text


def test_a_file_that_is_silent_about_connections_leaves_them_and_a_wrong_one_is_placed(campaign):
    silent = "agents: [{name: campaign, kind: scripted, options: {replies: [x]}}]"
    import_catalog_text(text=silent, file="c", at=NOW)
    assert AgentConnection.objects.count() == 1
    wrong = (
        "agents:\n  - name: campaign\n    kind: scripted\n    connections:\n      - {kind: http, address: 'ftp://x'}\n"
    )
    with pytest.raises(BadInput) as refused:
        import_catalog_text(text=wrong, file="c", at=NOW)
    assert refused.value.pointer == "/agents/0/connections/0/address"
    import_catalog_text(text="agents: [{name: campaign, kind: scripted, connections: []}]", file="c", at=NOW)
    assert not AgentConnection.objects.exists()


def test_secrets_are_ciphertext_and_are_rotated(campaign, settings):
    old = settings.FIELD_KEY
    settings.FIELD_KEY = f"{Fernet.generate_key().decode()},{old}"
    save_agent(name="other", kind="scripted", address="", options={"replies": ["x"]})
    assert reencrypt_secrets().rewritten == 1
    settings.FIELD_KEY = settings.FIELD_KEY.split(",")[0]
    assert connection_specs(campaign.pk)["http"].secrets == {"key": SECRET}
