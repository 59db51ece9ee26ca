"""The catalog over the API: the command's own service, with the files in the request."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User

from apps.catalog.models import Agent, Criterion, Scenario
from apps.tenants.context import in_tenant
from apps.tenants.domain.rights import Right
from tests.api.api_client import Door, row_counts
from tests.catalog.addresses import NONSENSE

LOCAL = "agents:\n- {name: local, kind: pulled, timeout_s: 30}\n"
SCENARIO = "id: tea-at-four\npersona: aunt\ngoal: Tea at four.\nopening: Hello\n"
BODY = {"files": {"agent.yaml": LOCAL, "scenarios/tea.yaml": SCENARIO}}


def test_files_come_in_and_twice_changes_nothing(acme: Door) -> None:
    first = acme.post("catalog/import/", BODY)
    assert (first.status_code, first.json()) == (
        200,
        {"created": {"agents": ["local"], "scenarios": ["tea-at-four"]}, "updated": {}, "unchanged": 0, "notes": []},
    )
    again = acme.post("catalog/import/", BODY).json()
    assert (again["created"], again["updated"], again["unchanged"]) == ({}, {}, 2)
    changed = {"files": {"agent.yaml": LOCAL.replace("30", "40")}}
    assert acme.post("catalog/import/", changed).json()["updated"] == {"agents": ["local"]}
    with in_tenant("acme"):
        assert Agent.objects.get(name="local").timeout_s == 40
    run = acme.post("test-runs/", {"kind": "battle", "agent": "local", "scenarios": ["tea-at-four"]})
    assert run.status_code == 202


@pytest.mark.parametrize(
    "files, code, pointer, line",
    [
        ({"a.yaml": LOCAL, "b.yaml": "agents:\n- {name: x, kind: telepathy}\n"}, "invalid", "/files/b.yaml", 2),
        ({"a.yaml": LOCAL, "d/b.yaml": "criteria: [\n"}, None, "/files/d~1b.yaml", 2),
        ({"a.yaml": LOCAL, "b.yaml": LOCAL}, None, "/files/b.yaml", 2),
        ({"a.yaml": "agents:\n- {name: x, kind: pulled, address: 'http://h/'}\n"}, None, "/files/a.yaml", 2),
        ({"a.yaml": "agents:\n- {name: x, kind: pulled, secrets: {t: v}}\n"}, None, "/files/a.yaml", 2),
    ],
)  # fmt: skip
def test_an_error_names_file_and_line_and_nothing_is_written(
    acme: Door, files: Any, code: str | None, pointer: str, line: int
) -> None:
    acme.get("evaluations/")
    before = row_counts("acme")
    refused = acme.post("catalog/import/", {"files": files})
    found = refused.json()
    assert (refused.status_code, found["pointer"], found["line"]) == (400, pointer, line), found
    assert code is None or found["code"] == code
    assert row_counts("acme") == before


@pytest.mark.parametrize(
    "body, pointer",
    [
        ({}, "/files"),
        ({"files": {}}, "/files"),
        ({"files": ["a"]}, "/files"),
        ({"files": {"a.yaml": 7}}, "/files/a.yaml"),
        ({"files": {" ": LOCAL}}, "/files/ "),
        ({"files": {"x" * 301: LOCAL}}, "/files/" + "x" * 301),
        ({"files": {f"{n}.yaml": "" for n in range(501)}}, "/files"),
        ({"files": {"a.yaml": LOCAL}, "tenant": "beta"}, "/tenant"),
    ],
)
def test_what_is_no_set_of_files_is_refused(acme: Door, body: Any, pointer: str) -> None:
    refused = acme.post("catalog/import/", body)
    assert (refused.status_code, refused.json()["pointer"]) == (400, pointer)


def test_too_much_is_413(acme: Door) -> None:
    refused = acme.post("catalog/import/", {"files": {"a.yaml": "#" * (5 * 1024 * 1024)}})
    assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")


def test_a_person_writes_only_what_their_role_may(acme: Door) -> None:
    """A curator writes criteria and scenarios, not agents, whose secrets are the owner's."""
    door = Door("acme")
    with in_tenant("acme"):
        user = User.objects.create_user("curator", is_staff=True)
        names = [name.removeprefix("catalog.") for name in Right.WRITE_CATALOG.permissions]
        user.user_permissions.set(Permission.objects.filter(content_type__app_label="catalog", codename__in=names))
        door.client.force_login(user)
    refused = door.post("catalog/import/", BODY)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "agents" in refused.json()["detail"]
    with in_tenant("acme"):
        assert not Scenario.objects.filter(slug="tea-at-four").exists(), "nothing half-written"
    assert door.post("catalog/import/", {"files": {"tea.yaml": SCENARIO}}).status_code == 200


def test_another_tenant_sees_nothing_of_it(acme: Door, beta: Door) -> None:
    acme.post("catalog/import/", {"files": {"c.yaml": "criteria:\n- {name: warmth, description: Is it warm?}\n"}})
    with in_tenant("beta"):
        assert not Criterion.objects.filter(name="warmth").exists()


@pytest.mark.parametrize("url", NONSENSE)
def test_the_api_refuses_a_catalog_with_it_and_saves_nothing(acme: Door, url: str) -> None:
    files = {"c.yaml": json.dumps({"model_providers": [{"name": "mine", "kind": "openai", "base_url": url}]})}
    refused = acme.post("catalog/import/", {"files": files})
    assert refused.status_code in (400, 422)
    assert refused.json()["file_pointer"] == "/model_providers/0/base_url", refused.json()
    assert "/model_providers/0/base_url: " in refused.json()["detail"]
