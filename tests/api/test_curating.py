"""What the whole team tests and judges with is changed by a key made for it, never by continuous integration's."""

import pytest

from apps.api.services.keys import add_api_key
from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import KeyScope
from tests.api.api_client import Door, row_counts

JUDGE = """
evaluator_configs:
- name: tea-service
  versions: [{number: 99, status: published, criteria: [], model: {provider: offline}}]
"""
PERSONA = "00000000-0000-4000-8000-000000000000"
CURATED = {
    "catalog/import/": {"files": {"scenarios/tea.yaml": JUDGE}},
    "golden-sessions/": {"document": "a.json", "files": {"a.json": "{}"}},
    "prompts/": {"name": "waiter", "text": "Be rude."},
    "personas/generate/": {"agent": "waiter", "number": 1},
    f"drafts/{PERSONA}/trials/": {"evaluator_config": "tea-service"},
    f"trials/{PERSONA}/cancel/": {},
    "trials/hold-out/": {},
    **{f"personas/{PERSONA}/{verb}/": {} for verb in ("validate", "override", "release", "resubmit", "archive")},
    **{f"scenarios/{PERSONA}/{verb}/": {} for verb in ("release", "archive")},
}


def key(*scopes: KeyScope) -> Door:
    with in_tenant("acme"):
        return Door("acme", add_api_key(scopes=list(scopes)).secret)


@pytest.mark.parametrize("address", CURATED)
def test_a_key_of_continuous_integration_changes_nothing_of_the_team(acme: Door, address: str) -> None:
    ci, before = key(KeyScope.READ, KeyScope.WRITE), row_counts("acme")
    refused = ci.post(address, CURATED[address])
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    assert "curate" in refused.json()["detail"]
    assert "catalog in POST /test-runs/" in refused.json()["detail"]
    assert row_counts("acme") == before | {"api.ApiKey": before["api.ApiKey"]}


@pytest.mark.parametrize("address", CURATED)
def test_a_signature_may_no_more_than_such_a_key(acme: Door, address: str) -> None:
    refused = acme.signed(address, CURATED[address], acme.secret)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    assert refused.json()["detail"].startswith("A signature lacks the scope curate")


def test_a_key_that_curates_starts_no_run(acme: Door) -> None:
    curator = key(KeyScope.CURATE)
    assert curator.post("test-runs/", {"kind": "battle"}).status_code == 403
    assert curator.post("prompts/", CURATED["prompts/"]).status_code == 200


MOVED = {
    "agents": "agents:\n- {name: waiter, kind: http, address: 'https://elsewhere.example/chat'}\n",
    "model providers": "model_providers:\n- {name: house, kind: openai, base_url: 'https://elsewhere.example/v1'}\n",
}


@pytest.mark.parametrize("section", MOVED)
def test_a_key_that_curates_says_not_where_agents_and_models_are(acme: Door, section: str) -> None:
    """A curator may not either: whoever moves them reads the conversations, and answers for the judge."""
    curator, before = key(KeyScope.READ, KeyScope.WRITE, KeyScope.CURATE), row_counts("acme")
    refused = curator.post("catalog/import/", {"files": {"p.yaml": MOVED[section]}})
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    assert f"change {section}" in refused.json()["detail"]
    assert "--scope admin" in refused.json()["detail"]
    assert row_counts("acme") == before


def test_an_owners_key_says_where_they_are_and_publishes_no_judge(acme: Door) -> None:
    owners = key(KeyScope.ADMIN, KeyScope.CURATE)
    assert owners.post("catalog/import/", {"files": {"p.yaml": MOVED["model providers"]}}).status_code == 200
    alone = key(KeyScope.ADMIN).post("catalog/import/", {"files": {"scenarios/tea.yaml": JUDGE}})
    assert (alone.status_code, alone.json()["code"]) == (403, "scope_missing")
