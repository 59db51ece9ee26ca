"""A runner at the door: leases, extensions and replies over HTTP, and what is refused."""

import threading
import time
import uuid
from concurrent.futures import Future
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.utils import timezone

from apps.catalog.models import Agent
from apps.connectors.errors import AgentFailed
from apps.runs.domain.pulled_turns import outcome_of
from apps.runs.models import Conversation, PulledTurn, TestRun
from apps.runs.playing.services.battle_slot import play
from apps.runs.pulled.services.exchange import PulledExchange
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, stock

BATTLE = {"kind": "battle", "agent": "local", "scenarios": "all", "max_turns": 4}


def left(count: int = 1) -> list[str]:
    """Turns of agent `local` as a worker leaves them; inside a tenant."""
    agent = Agent.objects.create(name="local", kind="pulled")
    run = TestRun.objects.create(kind="replay", status="running", agent=agent, plan={})
    ids = []
    for number in range(count):
        row = Conversation.objects.create(
            run=run, position=number, external_id=f"c{number}", kind="replay", status="running", attempt=1
        )
        turn = PulledTurn.objects.create(
            conversation=row, agent=agent, attempt=1, position=0, session=f"s{number}", timeout_s=120.0,
            messages=[{"role": "user", "content": f"line {number}"}], asked_at=timezone.now(),
        )  # fmt: skip
        ids.append(str(turn.pk))
    return ids


@pytest.fixture
def turn(acme: Door) -> Any:
    with in_tenant("acme"):
        left()
    return acme.post("pulled-turns/lease/", {"agent": "local"}).json()["turns"][0]


def test_a_turn_is_leased_extended_and_replied_to(acme: Door, turn: Any) -> None:
    assert turn["messages"] == [{"role": "user", "content": "line 0"}]
    assert acme.post("pulled-turns/lease/", {"agent": "local", "most": 5}).json() == {"turns": []}
    extended = acme.post(f"pulled-turns/{turn['id']}/extend/", {"lease": turn["lease"]})
    assert extended.status_code == 200
    assert turn["expires_at"] < extended.json()["expires_at"] <= turn["answer_by"]
    call = {"id": "c1", "name": "book", "arguments": {"day": "Friday"}, "result": "ok"}
    reply = {"lease": turn["lease"], "content": "Fine.", "tool_calls": [call], "latency_ms": 12.5}
    for _ in range(2):
        answer = acme.post(f"pulled-turns/{turn['id']}/reply/", reply)
        assert (answer.status_code, answer.content) == (204, b"")
    other = acme.post(f"pulled-turns/{turn['id']}/reply/", reply | {"content": "No."})
    assert (other.status_code, other.json()["code"]) == (409, "already_replied")
    late = acme.post(f"pulled-turns/{turn['id']}/extend/", {"lease": turn["lease"]})
    assert (late.status_code, late.json()["code"]) == (409, "lease_gone")
    with in_tenant("acme"):
        row = PulledTurn.objects.get()
        assert (row.state, row.reply["content"], row.reply["tool_calls"]) == ("replied", "Fine.", [call])


def test_a_runner_gets_the_turns_of_its_own_runs(acme: Door) -> None:
    with in_tenant("acme"):
        left()
        own = str(TestRun.objects.get().pk)
    question = {"agent": "local", "most": 5}
    assert acme.post("pulled-turns/lease/", question | {"test_runs": [str(uuid.uuid4())]}).json() == {"turns": []}
    assert len(acme.post("pulled-turns/lease/", question | {"test_runs": [own]}).json()["turns"]) == 1
    wrong = acme.post("pulled-turns/lease/", question | {"test_runs": ["x"]})
    assert (wrong.status_code, wrong.json()["pointer"]) == (400, "/test_runs/0")


def test_a_reply_with_an_idempotency_key_is_replayed(acme: Door, turn: Any) -> None:
    reply = {"lease": turn["lease"], "content": "Fine."}
    answers = [acme.post(f"pulled-turns/{turn['id']}/reply/", reply, idempotency_key="k") for _ in range(2)]
    assert [one.status_code for one in answers] == [204, 204]
    assert answers[1].headers["Idempotency-Replayed"] == "true"


def test_another_tenants_lease_is_404(acme: Door, beta: Door, turn: Any) -> None:
    body = {"lease": turn["lease"], "content": "Mine now."}
    for verb in ("reply", "extend"):
        assert beta.post(f"pulled-turns/{turn['id']}/{verb}/", body).status_code == 404
    assert beta.post("pulled-turns/lease/", {"agent": "local"}).json()["code"] == "unknown_agent"
    with in_tenant("acme"):
        assert PulledTurn.objects.get().state == "leased"


def test_another_lease_is_409(acme: Door, turn: Any) -> None:
    refused = acme.post(f"pulled-turns/{turn['id']}/reply/", {"lease": str(uuid.uuid4()), "content": "Mine."})
    assert (refused.status_code, refused.json()["code"]) == (409, "lease_gone")


@pytest.mark.parametrize(
    "body, status, pointer",
    [
        ({}, 400, "/lease"),
        ({"lease": "x"}, 400, "/lease"),
        ({"content": None}, 400, "/content"),
        ({"content": "a", "error": "b"}, 400, "/content"),
        ({"content": 7}, 400, "/content"),
        ({"content": "x" * 200_001}, 400, "/content"),
        ({"content": "a", "tool_calls": [{"arguments": {}}]}, 400, "/tool_calls/0/name"),
        ({"content": "a", "tool_calls": [{"name": "n", "arguments": []}]}, 400, "/tool_calls/0/arguments"),
        ({"content": "a", "tool_calls": [{"name": "n"}] * 101}, 400, "/tool_calls"),
        ({"content": "a", "usage": {"cost_usd": -1}}, 400, "/usage/cost_usd"),
        ({"content": "a", "latency_ms": "soon"}, 400, "/latency_ms"),
        ({"error": "x" * 2001}, 400, "/error"),
        ({"error": "x", "fault": "mine"}, 400, "/fault"),
    ],
)
def test_a_reply_that_is_none_is_refused_with_its_place(
    acme: Door, turn: Any, body: Any, status: int, pointer: str
) -> None:
    own = body if pointer == "/lease" else {"lease": turn["lease"], **body}
    refused = acme.post(f"pulled-turns/{turn['id']}/reply/", own)
    assert (refused.status_code, refused.json()["pointer"]) == (status, pointer)
    with in_tenant("acme"):
        row = PulledTurn.objects.get()
        assert row.state == "leased", "the turn is still this runner's"
        if pointer != "/lease":
            assert pointer in row.reply["refused"], "said where no better reply comes"


@pytest.mark.parametrize("size", [300_000, 5_300_000])
def test_a_reply_that_is_too_large_is_the_agents_and_no_runner_that_was_not_heard_of(
    acme: Door, turn: Any, size: int
) -> None:
    refused = acme.post(f"pulled-turns/{turn['id']}/reply/", {"lease": turn["lease"], "content": "x" * size})
    assert refused.status_code in (400, 413)
    with in_tenant("acme"):
        token = PulledTurn.objects.get().conversation.lease_token
        look = PulledExchange(token=token or uuid.uuid4(), now=timezone.now)
        look._open[uuid.UUID(turn["id"])] = Future()
        (found,) = look._looks().values()
        late = timezone.now() + timedelta(seconds=40)
        outcome = outcome_of(replace(found, held=True), now=late)
    assert isinstance(outcome, AgentFailed)
    assert "the runner's answer was too large" in str(outcome)
    better = acme.post(f"pulled-turns/{turn['id']}/reply/", {"lease": turn["lease"], "content": "Shorter."})
    assert better.status_code == 204


def test_who_may_not_lease_is_told_why(acme: Door) -> None:
    for body, status, code in (
        ({"agent": "waiter"}, 422, "not_pulled"),
        ({"agent": "nobody"}, 422, "unknown_agent"),
        ({"agent": "waiter", "most": 0}, 400, "invalid"),
        ({"agent": "waiter", "most": 101}, 400, "invalid"),
    ):
        refused = acme.post("pulled-turns/lease/", body)
        assert (refused.status_code, refused.json()["code"]) == (status, code)


def test_a_run_is_played_through_the_web_server_by_a_runner_that_only_dials_out(
    committed_db: None, server: str
) -> None:
    """A worker, a web server and a runner, each with its own connections."""
    key, _ = stock("acme")
    api = httpx.Client(
        base_url=f"{server}/api/v1", headers={"host": "acme.localhost", "authorization": f"Bearer {key}"}, timeout=60
    )
    with in_tenant("acme"):
        Agent.objects.create(name="local", kind="pulled", timeout_s=60.0)
    run = api.post("/test-runs/", json=BATTLE).raise_for_status().json()["id"]
    over = threading.Event()

    def runner() -> None:
        while not over.is_set():
            for turn in api.post("/pulled-turns/lease/", json={"agent": "local", "most": 5}).json()["turns"]:
                said = turn["messages"][-1]["content"]
                reply = {"lease": turn["lease"], "content": f"you said: {said}"}
                assert api.post(f"/pulled-turns/{turn['id']}/reply/", json=reply).status_code == 204
            time.sleep(0.05)

    thread = threading.Thread(target=runner)
    thread.start()
    try:
        with in_tenant("acme"):
            play(tenant_limit=10, now=timezone.now, sleep=_sleep)
    finally:
        over.set()
        thread.join(timeout=30)
    status = api.get(f"/test-runs/{run}/status/").json()
    assert status["conversations"]["ended"] == 1
    (one,) = api.get(f"/test-runs/{run}/conversations/").json()["results"]
    replies = [turn["content"] for turn in one["turns"] if turn["role"] == "assistant"]
    assert len(replies) == 2
    assert all(text.startswith("you said: ") for text in replies)


async def _sleep(seconds: float) -> None:
    """No stagger between attempts."""
