"""Many workers, ticks and beats at once: each battle is played once, and no limit is passed."""

import threading
from collections import Counter
from typing import Any

from django.db import connection
from django.utils import timezone

from apps.catalog.models import Agent
from apps.runs.models import Conversation, Turn
from apps.runs.playing.services import control
from apps.runs.playing.services.claiming import claim
from apps.runs.playing.services.storing import LEASE
from apps.tenants.context import in_tenant
from tests.runs.stage import battles, make_agent, make_scenarios, make_work, play, status

BATTLES, WORKERS = 500, 8


def in_workers(tenant: str, count: int, job) -> None:
    """The job in so many threads, each inside the tenant on a connection of its own."""
    faults = []

    def run(number: int) -> None:
        try:
            with in_tenant(tenant):
                job(number)
        except Exception as error:
            faults.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_eight_workers_race_for_five_hundred_battles_and_each_is_played_once(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_agent({"text": "Booked.", "ended": True})
        make_scenarios()
        runs = [battles(repeats=50) for _ in range(BATTLES // 50)]

    def work(number: int) -> None:
        play(timezone.now, concurrency=20)
        control.finish_runs(now=timezone.now())  # two beats end runs at once as well

    in_workers(fresh_tenant, WORKERS, work)
    with in_tenant(fresh_tenant):
        found = Counter(Conversation.objects.values_list("status", "attempt", "losses"))
        assert found == {("ended", 1, 0): BATTLES}
        assert Turn.objects.count() == 2 * BATTLES
        control.finish_runs(now=timezone.now())
        assert {status(run) for run in runs} == {"completed"}
    connection.close()


def test_racing_claims_never_pass_a_limit_and_leave_no_place_empty(fresh_tenant):
    with in_tenant(fresh_tenant):
        make_agent()
        make_scenarios()
        Agent.objects.update(max_concurrent=37)
        for _ in range(3):
            battles(repeats=50)
    found: list[Any] = []

    def work(number: int) -> None:
        for _ in range(6):
            token = make_work().token
            found.extend(claim(token=token, limit=9, tenant_limit=50, now=timezone.now(), lease=LEASE).ids)

    in_workers(fresh_tenant, WORKERS, work)
    assert len(found) == len(set(found)) == 37
    with in_tenant(fresh_tenant):
        rows = Conversation.objects.filter(status="running").values_list("run_id", flat=True)
        assert sorted(Counter(rows).values()) == [12, 12, 13], "the runs have equal shares"
    connection.close()
