"""A real worker with one process plays two tenants' battles at once; told to end, it lets both go."""

import json
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import timezone

from apps.runs.models import Conversation, TestRun, Turn
from apps.tenants.context import in_tenant
from apps.tenants.services import add_ephemeral_tenant, delete_tenant, update_workflow_config
from ratiba_eval import programs
from tests.journey.conftest import Machine, until
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import battles, make_agent, make_scenarios

CAP = 2


class SlowAgent:
    """Answers after a while, tells how many wait at once, and to which tenant's words."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s, self.lock = delay_s, threading.Lock()
        self.sessions: dict[str, set[str]] = defaultdict(set)
        self.calls = 0

    def __call__(self, request: Request) -> Answer:
        body = json.loads(request.body)
        with self.lock:
            self.calls += 1
            self.sessions[request.path.strip("/")].add(body["session_id"])
        return Answer(body=json.dumps({"reply": f"Certainly, {request.path}."}).encode(), delay_s=self.delay_s)


@pytest.fixture
def tenants(fresh_tenant: str) -> Iterator[tuple[str, str]]:
    other = add_ephemeral_tenant(label="other").slug
    yield fresh_tenant, other
    delete_tenant(slug=other)


def prepared(tenants: tuple[str, str], url: str) -> None:
    """Each tenant has an agent of its own address, and more battles than it may have at once."""
    for tenant in tenants:
        update_workflow_config(slug=tenant, changes={"max_concurrent_battles": CAP})
        with in_tenant(tenant):
            make_agent(kind="http", address=f"{url}/{tenant}", timeout_s=30)
            make_scenarios(1, opening=f"Hello from {tenant}.")
            battles(repeats=CAP * 2, max_turns=2)
            TestRun.objects.update(created_at=timezone.now())


def worker(machine: Machine) -> None:
    program = programs.worker("one", queues=("battles",), concurrency=1)
    env = {**program.env, **machine.env, "REMAP_SIGTERM": "SIGQUIT"}
    machine.supervisor.start(replace(program, env=env, grace_s=1.0), restart=False)


def called(machine: Machine, tenant: str) -> None:
    done = machine.command("reconcile_runs", "--tenant", tenant, "--json")
    assert done.returncode == 0, done.stderr


def states(tenant: str) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    with in_tenant(tenant):
        for status in Conversation.objects.values_list("status", flat=True):
            found[status] += 1
    return dict(found)


def leases(tenant: str) -> int:
    with in_tenant(tenant):
        return Conversation.objects.filter(lease_expires_at__gt=timezone.now()).count()


def test_one_process_plays_two_tenants_at_once_and_nothing_crosses(machine: Machine, tenants):
    agent = SlowAgent(delay_s=1.0)
    with LoopbackServer(agent) as server:
        prepared(tenants, server.url)
        for tenant in tenants:
            called(machine, tenant)
        worker(machine)
        together = [0]

        def at_once() -> bool:
            together[0] = max(together[0], min(map(leases, tenants)))
            return all(states(tenant) == {"ended": CAP * 2} for tenant in tenants)

        until(at_once, what="the end of both tenants' battles")
    assert together[0] == CAP, "both tenants have all they may have in flight at the same moment"
    assert all(len(agent.sessions[tenant]) == CAP * 2 for tenant in tenants)
    for tenant in tenants:
        with in_tenant(tenant):
            words = set(Turn.objects.values_list("content", flat=True))
        assert words == {f"Hello from {tenant}.", f"Certainly, /{tenant}."}
    logged(Path(machine.env["RATIBA_LOG_DIR"]), tenants)


def test_a_worker_that_is_told_to_end_lets_every_tenants_leases_go(machine: Machine, tenants):
    agent = SlowAgent(delay_s=2.0)
    with LoopbackServer(agent) as server:
        prepared(tenants, server.url)
        for tenant in tenants:
            called(machine, tenant)
        worker(machine)
        until(lambda: all(leases(tenant) == CAP for tenant in tenants), what="both tenants in flight")
        machine.supervisor.kill("one", signal.SIGTERM)
        until(lambda: not any(map(leases, tenants)), timeout_s=10, what="the end of every lease")
        calls = agent.calls
        time.sleep(1.5)  # a worker that goes on would have claimed again
        assert agent.calls == calls
    for tenant in tenants:
        assert leases(tenant) == 0
        now = states(tenant)
        assert now.get("pending", 0) + now.get("running", 0) >= CAP, "no further battle was begun"


def logged(folder: Path, tenants: tuple[str, str]) -> None:
    """Every line that names a run or a conversation names its tenant."""
    own: dict[str, set[str]] = {}
    for tenant in tenants:
        with in_tenant(tenant):
            own[tenant] = {str(key) for key in Conversation.objects.values_list("pk", flat=True)}
    for file in folder.glob("*.jsonl*"):
        for line in file.read_text().splitlines():
            entry = json.loads(line)
            if entry.get("conversation"):
                assert entry["conversation"] in own[entry["tenant"]]
