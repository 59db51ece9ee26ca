"""One process serves several tenants at once: who fails, hangs or is told to stop disturbs nobody else."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.catalog.models import Agent
from apps.jobs import tenant_threads, work
from apps.jobs.tenant_threads import Assignment, TenantThreads
from apps.jobs.work import TimeSlice, Work, register, slice_ends
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
    monkeypatch.setattr(tenant_threads, "LOOK_EVERY_S", 0.05)
    register(Work(name="errands", label="errand", serve=f"{__name__}.serve", queue="improvement", table="none"))
    other = add_ephemeral_tenant(label="other").slug
    yield fresh_tenant, other
    DO.clear()
    connection.close()
    delete_tenant(slug=other)


class Process:
    """A worker's process: the calls that wait for it, and whom it was told to call again."""

    def __init__(self, *waiting: str) -> None:
        self.queue = [errand(tenant) for tenant in waiting]
        self.left: list[str] = []
        self.looks = 0

    def run(self, first: str, *, most: int = 4, **options: object) -> TenantThreads:
        threads = self.threads(most=most, **options)
        threads.run(errand(first))
        return threads

    def threads(self, *, most: int = 4, **options: object) -> TenantThreads:
        given: dict[str, object] = {"next_call": self.next_call, "until": timezone.now() + timedelta(minutes=3)}
        return TenantThreads(
            most=most, now=timezone.now, again=lambda one: self.left.append(one.tenant), **(given | options)
        )

    def next_call(self) -> Assignment | None:
        self.looks += 1
        return self.queue.pop(0) if self.queue else None


def errand(tenant: str) -> Assignment:
    return Assignment(tenant=tenant, work="errands")


def waits_a_little(_: TimeSlice) -> bool:
    time.sleep(0.3)
    return False


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
    assert process.left == [other]


def test_no_tenant_is_taken_up_where_the_server_has_few_connections_left(pair, monkeypatch):
    first, other = pair
    monkeypatch.setattr(tenant_threads, "KEEP_FREE", 10_000)
    DO[first] = waits_a_little
    process = Process(other)
    process.run(first)
    assert process.left == [other]


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

    calls = iter([errand(pair[1])])

    def next_call() -> Assignment:
        if (call := next(calls, None)) is not None:
            return call
        begun.wait()
        raise SystemExit(1)

    DO.update(dict.fromkeys(pair, steps))
    threads = Process().threads(next_call=next_call)
    with pytest.raises(SystemExit):
        threads.run(errand(pair[0]))
    assert sorted(stopped) == sorted(pair)


def test_where_all_places_are_taken_whoever_had_a_turn_makes_way_for_the_next_call(pair, monkeypatch):
    monkeypatch.setattr(tenant_threads, "TURN_S", 0.2)
    served = []

    def lasts(time_slice: TimeSlice) -> bool:
        served.append(time_slice.tenant)
        began = time.monotonic()
        wait_for(time_slice.ending)
        assert time.monotonic() - began >= 0.1, "a turn is not cut short"
        return True

    def quick(time_slice: TimeSlice) -> bool:
        served.append(time_slice.tenant)
        return False

    first, other = pair
    DO.update({first: lasts, other: quick})
    process = Process(other)
    process.run(first, most=1)
    assert served == [first]
    assert process.left == [first, other] or process.left == [other, first]


def test_a_worker_loop_inside_ends_when_its_turn_is_over(pair, monkeypatch):
    monkeypatch.setattr(tenant_threads, "TURN_S", 0.2)
    first, other = pair
    told = []

    def lasts(_: TimeSlice) -> bool:
        wait_for(slice_ends)
        told.append(first)
        return False

    DO[first] = lasts
    Process(other).run(first, most=1)
    assert told == [first]
    assert not slice_ends(), "outside of a time slice nobody is told"


def test_others_are_taken_up_while_what_was_begun_before_the_end_goes_on(pair):
    """One that waits a minute for its model keeps no call of another kind waiting."""
    first, other = pair
    done = threading.Event()

    def quick(_: TimeSlice) -> bool:
        done.set()
        return False

    DO.update({first: lambda _: not done.wait(5), other: quick})
    Process(other).run(first, until=timezone.now() + timedelta(seconds=0.02))
    assert done.is_set()


def test_a_worker_that_was_told_to_end_takes_up_nobody(pair):
    DO[pair[0]] = waits_a_little
    process = Process(pair[1])
    process.run(pair[0], ending=lambda: True)
    assert len(process.queue) == 1


def test_a_call_for_what_is_being_served_here_already_is_made_again_once_when_that_ends(pair):
    """It opens no second thread, and what it calls to may have come after the last look at rows."""
    first, other = pair
    served = []

    def serves(time_slice: TimeSlice) -> bool:
        served.append(time_slice.tenant)
        time.sleep(0.4)
        return False

    DO.update(dict.fromkeys(pair, serves))
    process = Process(first, first, other, first)
    process.run(first)
    assert sorted(served) == sorted(pair)
    assert process.left == [first]


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
