"""A room that comes later names its table, and its rows are served: seen by ticks, claimed once, finished by token."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from django.db import connection

from apps.jobs import work
from apps.jobs.active_tenants import AWAKE, each_tenant_to_visit
from apps.jobs.services.leases import LeasedTable
from apps.jobs.work import Work, register
from apps.jobs.worker_loop import LoopLimits, run_worker_loop
from apps.tenants.context import in_tenant

START = datetime(2026, 11, 21, 9, tzinfo=UTC)
DUE = START + timedelta(hours=3)
ERRANDS = LeasedTable(table="guard_errand", lease=timedelta(seconds=30), order="w.id")


def sql(statement: str, *parameters: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall() if cursor.description else []
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT 1")
    return rows


@pytest.fixture
def room(fresh_tenant: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A tenant with a table that no room of ours has, registered by one line."""
    monkeypatch.setattr(work, "_REGISTRY", dict(work._REGISTRY))
    register(Work(name="errands", label="errand", serve="tests.errands", queue="improvement", table="guard_errand"))
    with in_tenant(fresh_tenant):
        sql("""CREATE TABLE guard_errand (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), status text DEFAULT 'pending',
               created_at timestamptz DEFAULT now(),
               lease_token uuid, lease_expires_at timestamptz, not_before timestamptz, waiting_for text DEFAULT '')""")
    yield fresh_tenant
    with in_tenant(fresh_tenant):
        sql("DROP TABLE guard_errand")


class Errands:
    """The least a room has to write: what a row's job is, and how its end is stored."""

    def __init__(self, now: datetime) -> None:
        self.now, self.token = now, uuid.uuid4()

    def claim(self, limit: int) -> list[Any]:
        async def job(client: Any, emit: Any) -> str:
            return "done"

        return [(id, job) for (id,) in ERRANDS.claim(token=self.token, limit=limit, now=self.now)]

    def begin(self, keys: Any) -> Any:
        return keys

    def answer_requests(self, deliveries: Any) -> Any:
        return deliveries

    def store(self, deliveries: Any) -> list[Any]:
        ids = [one.key for one in deliveries if one.final]
        sql(
            "UPDATE guard_errand SET status = 'done', lease_token = NULL WHERE id = ANY(%s) AND lease_token = %s",
            ids, self.token,
        )  # fmt: skip
        return ids

    def heartbeat(self, keys: Any) -> None:
        ERRANDS.extend(token=self.token, ids=keys, now=self.now)

    def stop(self) -> None: ...

    def next_due(self, within: timedelta) -> Any:
        return ERRANDS.next_due(now=self.now, within=within)

    def release(self) -> None:
        ERRANDS.release(token=self.token, now=self.now)


def served(now: datetime) -> int:
    source = Errands(now)
    report = run_worker_loop(work=source, limits=LoopLimits(concurrency=4), client=httpx.AsyncClient, now=lambda: now)
    return report.settled


def test_rows_of_a_table_that_was_just_registered_are_served_by_a_worker_loop(room: str) -> None:
    with in_tenant(room):
        sql("INSERT INTO guard_errand (not_before) SELECT NULL FROM generate_series(1, 40)")
    assert room in each_tenant_to_visit(every_s=15, now=START)
    with in_tenant(room):
        assert served(START) == 40
        assert sql("SELECT DISTINCT status FROM guard_errand") == [("done",)]


def test_a_row_that_becomes_due_by_the_clock_is_served_at_that_tick(room: str) -> None:
    with in_tenant(room):
        sql("INSERT INTO guard_errand (not_before) VALUES (%s)", DUE)
    each_tenant_to_visit(every_s=15, now=START)
    each_tenant_to_visit(every_s=15, now=START + AWAKE + timedelta(seconds=1))
    visits = [
        at
        for n in range(-8, 1)
        if room in each_tenant_to_visit(every_s=15, now=(at := DUE + timedelta(seconds=15 * n)))
    ]
    assert visits[-1] == DUE
    assert len(visits) <= 2, "that tick, and no more than its turn of the round before"
    with in_tenant(room):
        assert served(DUE - timedelta(minutes=1)) == 0  # a worker lingers for what is due within half a minute
        assert served(DUE) == 1


def test_a_lost_worker_cannot_finish_what_its_successor_holds(room: str) -> None:
    with in_tenant(room):
        sql("INSERT INTO guard_errand (not_before) VALUES (NULL)")
        lost, successor = uuid.uuid4(), uuid.uuid4()
        ((id,),) = ERRANDS.claim(token=lost, limit=5, now=START)
        assert ERRANDS.claim(token=successor, limit=5, now=START) == []
        later = START + timedelta(seconds=31)
        assert ERRANDS.claim(token=successor, limit=5, now=later) == [(id,)]
        assert ERRANDS.extend(token=lost, ids=[id], now=later) == 0
        assert ERRANDS.release(token=lost, now=later) == 0
        assert ERRANDS.release(token=successor, now=later) == 1
