"""One process serves several tenants at once: who fails, hangs or is told to stop disturbs nobody else."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.catalog.models import Agent
from apps.jobs import tenant_threads, work
from apps.jobs.tenant_threads import Assignment, TenantThreads
from apps.jobs.work import TimeSlice, Work, register
from apps.tenants.context import current_schema, in_tenant
from apps.tenants.domain.naming import schema_for
from apps.tenants.services import add_ephemeral_tenant, delete_tenant, suspend_tenant

DO: dict[str, Callable[[TimeSlice], bool]] = {}  # what each tenant's work does in this test


def serve(time_slice: TimeSlice) -> bool:
    return DO[time_slice.tenant](time_slice)


@pytest.fixture
def pair(fresh_tenant: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """Two tenants with a kind of work that this test says."""
    monkeypatch.setattr(work, "_REGISTRY", dict(work._REGISTRY))
    monkeypatch.setattr(tenant_threads, "NEXT_LOOK_S", 0.0)
    register(Work(name="errands", label="errand", serve=f"{__name__}.serve", queue="improvement", table="none"))
    other = add_ephemeral_tenant(label="other").slug
    yield fresh_tenant, other
    DO.clear()
    connection.close()
    delete_tenant(slug=other)


class Process:
    """A worker's process: who waits for it, and whom it was told to call again."""

    def __init__(self, *waiting: str) -> None:
        self.queue = [errand(tenant) for tenant in waiting]
        self.left: list[str] = []
        self.besides: list[Collection[Assignment]] = []

    def run(self, first: str, *, most: int = 4, **options: object) -> TenantThreads:
        threads = self.threads(most=most, **options)
        threads.run(errand(first))
        return threads

    def threads(self, *, most: int = 4, **options: object) -> TenantThreads:
        given: dict[str, object] = {"waiting": self.waiting, "until": timezone.now() + timedelta(minutes=3)}
        return TenantThreads(
            most=most, now=timezone.now, again=lambda one: self.left.append(one.tenant), **(given | options)
        )

    def waiting(self, besides: Collection[Assignment]) -> Sequence[Assignment]:
        self.besides.append(set(besides))
        return [self.queue.pop(0)] if self.queue else []


def errand(tenant: str) -> Assignment:
    return Assignment(tenant=tenant, work="errands")


def wait_for(true: Callable[[], object], seconds: float = 10.0) -> None:
    give_up_at = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up_at
        time.sleep(0.01)


def test_a_tenant_whose_work_fails_ends_nobody_elses(pair, caplog):
    failed, done = threading.Event(), threading.Event()

    def fails(_: TimeSlice) -> bool:
        failed.set()
        raise ValueError("of this tenant alone")

    def lasts(_: TimeSlice) -> bool:
        assert failed.wait(10)
        time.sleep(0.2)
        done.set()
        return False

    first, other = pair
    DO.update({first: lasts, other: fails})
    Process(other).run(first)
    assert done.is_set()
    assert f"errands of {other} failed" in caplog.text


def test_what_ends_the_tenant_that_was_called_for_is_raised_after_the_others_have_ended(pair):
    first, other = pair
    begun, done = threading.Event(), threading.Event()

    def fails(_: TimeSlice) -> bool:
        assert begun.wait(10)
        raise ValueError("told to whoever called")

    def lasts(_: TimeSlice) -> bool:
        begun.set()
        time.sleep(0.3)
        done.set()
        return True

    DO.update({first: fails, other: lasts})
    process = Process(other)
    with pytest.raises(ValueError, match="told to whoever called"):
        process.run(first)
    assert done.is_set()
    assert process.left == [other]


def test_tenants_that_are_served_at_the_same_moment_see_their_own_rows_alone(pair):
    """They meet before and after every statement, so that whatever they shared would show."""
    meet = threading.Barrier(2, timeout=20)
    seen: dict[str, list[tuple[str, set[str]]]] = {}

    def writes(time_slice: TimeSlice) -> bool:
        for number in range(15):
            meet.wait()
            Agent.objects.create(name=f"{time_slice.tenant}-{number}", kind="scripted", options={"replies": ["Yes."]})
            meet.wait()
            names = set(Agent.objects.values_list("name", flat=True))
            seen.setdefault(time_slice.tenant, []).append((current_schema(), names))
        return False

    DO.update(dict.fromkeys(pair, writes))
    Process(pair[1]).run(pair[0])
    for tenant in pair:
        own = {f"{tenant}-{number}" for number in range(15)}
        assert {schema for schema, _ in seen[tenant]} == {schema_for(tenant)}
        assert all(names <= own for _, names in seen[tenant])
        with in_tenant(tenant):
            assert set(Agent.objects.values_list("name", flat=True)) == own
    assert current_schema() == "public"


def test_no_more_tenants_than_allowed_are_served_at_once(pair):
    first, other = pair
    ended = threading.Event()

    def alone(_: TimeSlice) -> bool:
        time.sleep(0.3)
        ended.set()
        return False

    def after(_: TimeSlice) -> bool:
        raise AssertionError("nobody has ended")

    DO.update({first: alone, other: after})
    process = Process(other)
    process.run(first, most=1)
    assert ended.is_set()
    assert [one.tenant for one in process.queue] == [other]


def test_no_tenant_is_taken_up_where_the_server_has_few_connections_left(pair, monkeypatch):
    first, other = pair
    room = []

    def looks(time_slice: TimeSlice) -> bool:
        time.sleep(0.3)
        room.append(time_slice.has_room())
        return False

    monkeypatch.setattr(tenant_threads, "KEEP_FREE", 10_000)
    DO[first] = looks
    process = Process(other)
    process.run(first)
    assert [one.tenant for one in process.queue] == [other]
    assert room == [False]


def test_a_suspended_tenant_is_refused_and_the_others_go_on(pair, caplog):
    first, other = pair
    suspend_tenant(slug=other)
    done = []

    def serves_first(_: TimeSlice) -> bool:
        time.sleep(0.3)
        done.append(first)
        return False

    def serves_other(_: TimeSlice) -> bool:
        done.append(other)
        return False

    DO.update({first: serves_first, other: serves_other})
    with caplog.at_level("WARNING"):
        Process(other).run(first)
    assert done == [first]
    assert "task_refused" in caplog.text


def test_an_interrupt_stops_every_tenant_between_two_steps(pair):
    """What Celery raises in the task's own thread: at a stop, and when its time is up."""
    begun, stopped = threading.Barrier(3, timeout=10), []

    def steps(time_slice: TimeSlice) -> bool:
        begun.wait()
        try:
            while True:
                time_slice.check()
                time.sleep(0.02)
        finally:
            stopped.append(time_slice.tenant)  # where a worker loop lets its leases go

    def waiting(besides: Collection[Assignment]) -> Sequence[Assignment]:
        if len(besides) == 1:
            return [errand(pair[1])]
        begun.wait()
        raise SystemExit(1)

    DO.update(dict.fromkeys(pair, steps))
    threads = Process().threads(waiting=waiting)
    with pytest.raises(SystemExit):
        threads.run(errand(pair[0]))
    assert sorted(stopped) == sorted(pair)


def test_work_that_takes_the_whole_process_does_not_wait_behind_tenants_that_share_it(pair, monkeypatch):
    monkeypatch.setattr(tenant_threads, "MAKE_WAY_AFTER_S", 0.0)

    def lasts(time_slice: TimeSlice) -> bool:
        wait_for(time_slice.ending)
        return True

    DO[pair[0]] = lasts
    process = Process(pair[1])
    process.run(pair[0], queue_waits=lambda: True)
    assert process.left == [pair[0]]
    assert len(process.queue) == 1


def test_a_worker_that_was_told_to_end_takes_up_nobody(pair):
    ending = threading.Event()

    def lasts(time_slice: TimeSlice) -> bool:
        ending.set()
        time.sleep(0.2)
        return True

    DO[pair[0]] = lasts
    process = Process(pair[1])
    process.run(pair[0], ending=ending.is_set)
    assert len(process.queue) == 1


def test_who_was_served_and_waits_for_a_limit_is_left_to_the_next_tick(pair):
    first, other = pair
    DO[other] = lambda _: False

    def waits(_: TimeSlice) -> bool:
        wait_for(lambda: len(process.besides) > 3)
        return False

    DO[first] = waits
    process = Process(other)
    process.run(first)
    assert all(errand(other) in besides for besides in process.besides[1:])


def test_every_connection_of_a_thread_is_closed_with_it(pair):
    pids = []

    def asks(_: TimeSlice) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            pids.append(cursor.fetchone()[0])
        return False

    def asks_later(one: TimeSlice) -> bool:
        time.sleep(0.3)
        return asks(one)

    DO.update({pair[0]: asks_later, pair[1]: asks})
    Process(pair[1]).run(pair[0])
    assert len(set(pids)) == 2

    def alive() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)", [pids])
            return int(cursor.fetchone()[0])

    wait_for(lambda: alive() == 0)
