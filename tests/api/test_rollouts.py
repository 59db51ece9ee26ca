"""Rollouts over HTTP: who may, what a router reads, and what happens to customers when the server is gone."""

import asyncio
import json
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

import ratiba_router
from apps.api.services.keys import add_api_key
from apps.production.models import Rollout
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, stock
from tests.api.conftest import web_server
from tests.evaluations.bench import make_config
from tests.loopback.providers import ModelProvider
from tests.production.rollout_rows import CANARY, STABLE, ids, role

CALLER = "00000000-0000-0000-0000-000000000001"
START = {"role": "greeting", "canary": CANARY}


@pytest.fixture
def greeting(acme: Door) -> Door:
    with in_tenant("acme"):
        role()
    return acme


def _person(tenant: str, name: str, group: str) -> Client:
    with in_tenant(tenant):
        user = User.objects.create_user(name, password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client = Client(headers={"host": f"{tenant}.localhost"}, raise_request_exception=False)
        client.force_login(user)
    return client


def test_a_rollout_is_started_read_raised_and_rolled_back(greeting: Door) -> None:
    forecast = greeting.post("rollouts/", {**START, "forecast_only": True})
    assert (forecast.status_code, forecast.json()["forecast"]["too_few"]) == (200, True)
    assert not greeting.get("rollouts/").json()["results"]
    made = greeting.post("rollouts/", START)
    assert made.status_code == 201, made.content
    found = made.json()
    assert (found["status"], found["percentage"], found["stable"], found["canary"]) == ("running", 5, STABLE, CANARY)
    assert found["refusals"][0]["code"] == "too_early"
    id = found["id"]
    assert greeting.post("rollouts/", START).json()["code"] == "rollout_runs"
    assert greeting.post(f"rollouts/{id}/change/", {"percentage": 25}).json()["percentage"] == 25
    assert greeting.get("rollouts/").json()["results"][0]["id"] == id
    back = greeting.post(f"rollouts/{id}/rollback/", {"reason": "complaints"}).json()
    assert (back["status"], back["percentage"]) == ("rolled_back", 0)
    assert [one["move"] for one in greeting.get(f"rollouts/{id}/").json()["events"]] == [
        "started", "raised", "rolled_back",
    ]  # fmt: skip


def test_a_prompt_is_resolved_by_the_published_hash(greeting: Door) -> None:
    greeting.post("rollouts/", {**START, "percentage": 10})
    found = []
    for n in (1, 2, 3):  # buckets 49, 9, 17
        conversation = f"00000000-0000-0000-0000-00000000000{n}"
        answer = greeting.get(f"prompts/greeting/resolve/?conversation_id={conversation}&tenant_id={CALLER}")
        found.append(answer.json())
    assert [one["alias"] for one in found] == ["stable", "canary", "stable"]
    assert set(found[1]) == {"role", "alias", "prompt_version", "digest", "text"}
    assert (found[1]["prompt_version"], found[0]["prompt_version"]) == (CANARY, STABLE)
    assert greeting.get("prompts/greeting/resolve/?conversation_id=x").json()["role"] == "greeting"
    assert greeting.get("prompts/nobody/resolve/?conversation_id=x").status_code == 404
    assert greeting.get("prompts/greeting/resolve/").json()["code"] == "bad_parameter"
    assert greeting.get("prompts/greeting/resolve/?conversation_id=x&tenant_id=7").json()["code"] == "bad_parameter"


def test_a_rollout_that_nobody_would_judge_is_refused_with_the_field_to_say_it_in(greeting: Door) -> None:
    with in_tenant("acme"):
        make_config(name="other")
    refused = greeting.post("rollouts/", START)
    assert (refused.status_code, refused.json()["code"]) == (422, "no_judge")
    assert "There are" in refused.json()["detail"]
    assert greeting.post("rollouts/", {**START, "evaluator_config": "other"}).json()["evaluator_config"] == "other@1"


def test_who_may(greeting: Door) -> None:
    with in_tenant("acme"):
        reader = add_api_key(name="reader", scopes=["read"]).secret
        writer = add_api_key(name="agent", scopes=["read", "write"]).secret
    assert Door("acme", reader).get("prompts/routes/").status_code == 200
    assert Door("acme", writer).post("rollouts/", START).json()["code"] == "scope_missing"
    id = greeting.post("rollouts/", START).json()["id"]
    assert greeting.post(f"rollouts/{id}/promote/", {}).json()["code"] == "no_person"
    assert Door("acme", reader).post(f"rollouts/{id}/rollback/", {}).json()["code"] == "scope_missing"
    viewer, curator = _person("acme", "vera", "viewer"), _person("acme", "cora", "curator")
    address = f"/api/v1/rollouts/{id}/promote/"
    assert viewer.post(address, "{}", content_type="application/json").json()["code"] == "forbidden"
    refused = curator.post(address, "{}", content_type="application/json").json()
    assert (refused["code"], refused["reasons"][0]["code"]) == ("not_promotable", "too_early")
    assert Door("acme", writer).post(f"rollouts/{id}/rollback/", {}).status_code == 200, "an agent may go back"


def test_another_tenant_neither_sees_nor_is_routed_by_it(greeting: Door, beta: Door) -> None:
    with in_tenant("beta"):
        role()
    id = greeting.post("rollouts/", {**START, "percentage": 100}).json()["id"]
    assert beta.get(f"rollouts/{id}/").status_code == 404
    assert beta.post(f"rollouts/{id}/rollback/", {}).status_code == 404
    assert beta.get("prompts/routes/").json()["roles"]["greeting"]["percentage"] == 0
    assert beta.get("prompts/greeting/resolve/?conversation_id=x").json()["alias"] == "stable"
    with in_tenant("acme"):
        assert Rollout.objects.get().status == "running"


class OpenAi:
    """An agent's own provider, in the true wire format."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def call(self, *, model: str, system_prompt: str, user_prompt: str, **_: Any) -> str:
        messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
        async with httpx.AsyncClient() as client:
            answer = await client.post(f"{self.url}/chat/completions", json={"model": model, "messages": messages})
        return str(answer.json()["choices"][0]["message"]["content"])


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelProvider]:
    with ModelProvider("Karibu") as provider:
        monkeypatch.setitem(ratiba_router.providers, "own", OpenAi(provider.base_url("openai")))
        monkeypatch.setitem(ratiba_router.role_assignments, "greeting", {"provider": "own", "model": "m-1"})
        yield provider


@pytest.fixture
def names_of_localhost(monkeypatch: pytest.MonkeyPatch) -> None:
    """`acme.localhost` is this machine (RFC 6761), where the system does not say so."""
    lookup = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *rest, **more: lookup(str(host).replace("acme.localhost", "127.0.0.1"), *rest, **more),
    )


def _converse(conversation: str, filled: str) -> tuple[str, str]:
    answer = asyncio.run(
        ratiba_router.call_for_role("greeting", uuid.UUID(CALLER), uuid.UUID(conversation), filled, "Habari")
    )
    return answer.alias, answer.prompt_version


def test_two_arms_are_two_texts_on_the_wire_and_customers_are_answered_when_the_server_is_killed(
    database_url: str, committed_db: None, names_of_localhost: None, model: ModelProvider, tmp_path: Path
) -> None:
    bearer, _ = stock("acme")
    with in_tenant("acme"):
        role()
    filled = "You are greeting. Greet Asha."
    [inside] = ids(CALLER, below=5, count=1)
    [outside] = ids(CALLER, below=100, above=5, count=1)
    (tmp_path / "greeting.md").write_text("You are greeting. Greet {name}.")
    (tmp_path / "versions.lock").write_text(f"{STABLE}\n")
    router = ratiba_router.start(folder=tmp_path)
    with web_server(database_url) as (url, process):
        address = url.replace("127.0.0.1", "acme.localhost")
        with httpx.Client(base_url=url, headers={"host": "acme.localhost", "authorization": f"Bearer {bearer}"}) as api:
            assert api.post("/api/v1/rollouts/", json=START).status_code == 201
        assert ratiba_router.read_routes(router, address, bearer)
        assert [_converse(one, filled) for one in (inside, outside)] == [("canary", CANARY), ("stable", STABLE)]
        process.kill()
        process.wait(timeout=10)
    texts = [json.loads(one.body)["messages"][0]["content"] for one in model.requests]
    assert texts == ["Be short, greeting. Greet Asha.", filled]
    began = time.perf_counter()
    assert not ratiba_router.read_routes(router, address, bearer)
    assert time.perf_counter() - began < 2
    assert [_converse(one, filled)[0] for one in (inside, outside)] == ["canary", "stable"]
    router.read_at -= 61
    assert [_converse(one, filled) for one in (inside, outside)] == [("stable", STABLE)] * 2
