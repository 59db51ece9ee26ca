"""A worker killed while it plays: no agent hears a turn twice in one session."""

import json
from collections import defaultdict

from django.utils import timezone

from apps.runs.models import Conversation, Turn
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from tests.journey.conftest import Machine, until
from tests.journey.test_worker_killed import worker
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import make_agent, make_golden, of, replays

COUNT = 18
LINES = tuple(f"line {n}" for n in range(4))


def test_no_session_hears_a_turn_twice_when_the_worker_is_killed(
    machine: Machine, fresh_tenant: str, record_property
) -> None:
    heard: dict[str, list[str]] = defaultdict(list)
    ids: list[str] = []
    held = [True]  # every third turn, until the worker is dead: a turn is under way in each conversation

    def agent(request: Request) -> Answer:
        body = json.loads(request.body)
        heard[body["session"]].append(body["message"])
        ids.append(body["id"])
        waits = 120.0 if held[0] and len(heard[body["session"]]) == 3 else 0.0
        return Answer(body=json.dumps({"reply": f"yes, {body['message']}"}).encode(), delay_s=waits)

    with LoopbackServer(agent) as server:
        update_workflow_config(slug=fresh_tenant, changes={"max_concurrent_battles": COUNT})
        with in_tenant(fresh_tenant):
            body = {"message": "{{ text }}", "session": "{{ session }}", "id": "{{ message_id }}"}
            make_agent(kind="http", address=server.url, body=body, timeout_s=120)
            lines = [text for line in LINES for text in (line, "x")]
            run = replays(make_golden("g", *lines), repeats=COUNT)
        worker(machine, "first")
        assert machine.command("reconcile_runs", str(run), "--tenant", fresh_tenant).returncode == 0
        until(lambda: len(ids) >= COUNT * 3, what="the third turn of every conversation")
        machine.supervisor.kill("first")
        machine.supervisor.stop("first")
        held[0] = False
        with in_tenant(fresh_tenant):
            restarted = Conversation.objects.filter(status="running").update(lease_expires_at=timezone.now())
        worker(machine, "second")
        assert machine.command("reconcile_runs", str(run), "--tenant", fresh_tenant).returncode == 0
        until(lambda: ended(fresh_tenant), what="the end of the run")
    with in_tenant(fresh_tenant):
        attempts = {row.attempt for row in of(run)}
        spoken = Turn.objects.last_attempt().filter(role="user").count()
    doubled = [said for said in heard.values() if said != list(LINES[: len(said)])]
    record_property("restarted", restarted)
    record_property("sessions_that_heard_a_turn_twice", len(doubled))
    assert restarted == COUNT
    assert doubled == []
    assert len(ids) == len(set(ids))
    assert attempts <= {1, 2}
    assert spoken == COUNT * len(LINES)
    assert len(heard) == COUNT + restarted


def ended(tenant: str) -> bool:
    with in_tenant(tenant):
        return not Conversation.objects.exclude(status="ended").exists()
