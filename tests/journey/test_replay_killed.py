"""Replays of the campaign session whose worker is killed: gone on with in the same conversation, no turn twice."""

import re

import httpx
import pytest
from django.db import connection
from django.utils import timezone

from apps.catalog.models import Agent
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from ratiba_eval.demo_campaign import CAMPAIGN, set_up_campaign
from tests.examples.pega.calls import EXPECTED, PegaCalls, process
from tests.journey.conftest import Machine, until
from tests.journey.test_worker_killed import worker
from tests.runs.stage import only, replays, said
from tests.runs.test_replays import campaign

LINES = [one["input"] for one in EXPECTED["turns"]]


@pytest.mark.parametrize("transport", ["auto"])
def test_a_killed_workers_replay_goes_on_in_its_conversation(
    machine: Machine, fresh_tenant: str, transport: str
) -> None:
    with process("--lag-s", "0", "--delay-s", "0.4-0.4") as base, httpx.Client(base_url=base, timeout=20) as client:
        pega = PegaCalls(client).signed_in()
        with in_tenant(fresh_tenant):
            set_up_campaign(port=int(base.rpartition(":")[2]))
            Agent.objects.filter(name=CAMPAIGN).update(timeout_s=20)
            run = replays(campaign(), agent=CAMPAIGN, transport=transport)
        worker(machine, "first")
        assert machine.command("reconcile_runs", str(run), "--tenant", fresh_tenant).returncode == 0
        until(lambda: len(taken(pega)) >= 5, timeout_s=150, what="the fifth turn")
        machine.supervisor.kill("first")
        machine.supervisor.stop("first")
        before = taken(pega)
        with in_tenant(fresh_tenant):
            assert only(run).status == "running"
            Conversation.objects.filter(run_id=run).update(lease_expires_at=timezone.now())
        worker(machine, "second")
        assert machine.command("reconcile_runs", str(run), "--tenant", fresh_tenant).returncode == 0
        until(lambda: ended(fresh_tenant), timeout_s=150, what="the end of the replay")
        talks = conversations(pega)
        heard = taken(pega)
    assert 5 <= len(before) < len(LINES)
    assert len(talks) == 1
    assert heard == LINES
    with in_tenant(fresh_tenant):
        row = only(run)
        assert (row.status, row.attempt, row.error_message) == ("ended", 2, "")
        assert row.extra["replay"]["resumed"] is True
        assert [text for _, text in said(row, "user")] == LINES


def conversations(pega: PegaCalls) -> list[str]:
    """Those that were begun since the server started, by its own list."""
    ids = [str(row["pyID"]) for row in pega.listed().json()["data"]]
    return sorted(one for one in ids if re.fullmatch(r"PXCONV-5\d{3}", one))


def taken(pega: PegaCalls) -> list[str]:
    """What the agent was told in its newest conversation, as it stores it."""
    talks = conversations(pega)
    return [row["content"] for row in pega.kept(talks[-1]) if row["role"] == "USER"] if talks else []


def ended(tenant: str) -> bool:
    with in_tenant(tenant):
        found = not Conversation.objects.filter(status__in=["pending", "running"]).exists()
    connection.close()
    return found
