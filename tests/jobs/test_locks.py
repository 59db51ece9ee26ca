"""A lock in one tenant's table, held by somebody else: workers give it up in seconds, say so, and go on with others."""

import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import httpx
import psycopg
import pytest
from django.db import OperationalError, connection
from django.db.backends.signals import connection_created
from django.utils import timezone

from apps.core.events import EventType
from apps.jobs import tasks
from apps.jobs.active_tenants import visits_due
from apps.jobs.adapters import interactive_handlers
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.models import InteractiveJob
from apps.jobs.queries.due_work import due_work
from apps.jobs.services.interactive import request_interactive_job
from apps.jobs.tasks import serve
from apps.jobs.tenant_threads import Assignment, TenantThreads
from apps.jobs.work import work_named
from apps.jobs.worker_loop import LoopLimits, run_worker_loop
from apps.runs.models import Conversation, TestRun
from apps.runs.tasks import rescue_tenant
from apps.tenants import lock_waits
from apps.tenants.context import in_tenant
from apps.tenants.domain.naming import schema_for
from apps.tenants.lock_waits import limit_lock_waits, lock_timed_out
from apps.tenants.services import add_ephemeral_tenant, delete_tenant
from ratiba_eval.tenant_metrics import figures_of_tenants

NOW = timezone.now()


@pytest.fixture
def other(fresh_tenant: str) -> Iterator[str]:
    slug = add_ephemeral_tenant(label="other").slug
    yield slug
    delete_tenant(slug=slug)


@pytest.fixture(autouse=True)
def a_worker(fresh_tenant: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process's connections are a worker's, which wait a second."""
    monkeypatch.setattr(lock_waits, "WAIT_S", 1)
    monkeypatch.setitem(interactive_handlers, "nod", f"{__name__}.nod")
    limit_lock_waits()
    connection.close()
    yield
    connection_created.disconnect(dispatch_uid="apps.tenants.lock_waits")
    connection.close()


@pytest.fixture
def somebody(a_worker: None) -> Iterator["psycopg.Connection[Any]"]:
    """Another client of the database, in a transaction."""
    given = connection.get_connection_params()
    named = {name: given[name] for name in ("host", "port", "user", "password", "dbname") if given.get(name)}
    with psycopg.connect(**named) as client:
        yield client
        client.rollback()


def nod(request: InteractiveRequest) -> InteractiveStep:
    return InteractiveStep(answer={"done": True})


def press_button(tenant: str) -> None:
    with in_tenant(tenant):
        request_interactive_job(kind="nod", subject_id=uuid.uuid4(), requested_by="amina", now=timezone.now())


def statuses(tenant: str) -> list[str]:
    with in_tenant(tenant):
        return list(InteractiveJob.objects.values_list("status", flat=True))


def lock(client: "psycopg.Connection[Any]", tenant: str, table: str = "jobs_interactivejob") -> None:
    client.execute(f'LOCK TABLE "{schema_for(tenant)}".{table} IN ACCESS EXCLUSIVE MODE')


def events(caplog: pytest.LogCaptureFixture, event: EventType) -> list[dict[str, Any]]:
    return [one.fields for one in caplog.records if getattr(one, "event_type", "") == event]  # type: ignore[attr-defined]


def test_a_locked_table_is_given_up_in_seconds_and_the_next_tenant_is_served(
    fresh_tenant: str, other: str, somebody: Any, caplog: pytest.LogCaptureFixture
) -> None:
    press_button(fresh_tenant)
    press_button(other)
    lock(somebody, fresh_tenant)
    began = time.monotonic()
    with caplog.at_level(logging.WARNING, "ratiba.events"):
        serve(tenant=fresh_tenant, work="interactive")
    assert time.monotonic() - began < 10
    (event,) = events(caplog, EventType.TASK_GAVE_UP_LOCK)
    assert (event["tenant"], event["work"]) == (fresh_tenant, "interactive")
    serve(tenant=other, work="interactive")
    assert statuses(other) == ["completed"]
    somebody.rollback()
    serve(tenant=fresh_tenant, work="interactive")
    assert statuses(fresh_tenant) == ["completed"], "nothing was lost"


def test_a_locked_row_is_given_up_too(fresh_tenant: str, somebody: Any, caplog: pytest.LogCaptureFixture) -> None:
    with in_tenant(fresh_tenant):
        run = TestRun.objects.create(kind="replay", status="running", name="x", plan={})
    somebody.execute(f'SELECT FROM "{schema_for(fresh_tenant)}".runs_testrun FOR UPDATE')
    with caplog.at_level(logging.WARNING, "ratiba.events"):
        rescue_tenant(tenant=fresh_tenant)
    assert [one["tenant"] for one in events(caplog, EventType.TASK_GAVE_UP_LOCK)] == [fresh_tenant]
    somebody.rollback()
    rescue_tenant(tenant=fresh_tenant)
    with in_tenant(fresh_tenant):
        assert TestRun.objects.get(pk=run.pk).status in ("completed", "failed")


def test_the_threads_of_a_process_end_without_an_error(fresh_tenant: str, somebody: Any, caplog) -> None:
    lock(somebody, fresh_tenant)
    threads = TenantThreads(
        most=2, until=timezone.now() + timedelta(minutes=1), now=timezone.now, next_call=lambda: None,
        again=lambda _: pytest.fail("nothing more is due"), task="a task",
    )  # fmt: skip
    with caplog.at_level(logging.WARNING):
        threads.run(Assignment(tenant=fresh_tenant, work="interactive"))
    assert [one["work"] for one in events(caplog, EventType.TASK_GAVE_UP_LOCK)] == ["interactive"]
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


def test_a_tick_visits_the_others_at_once_and_names_the_locked_one(
    fresh_tenant: str, other: str, somebody: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(
        tasks.serve, "apply_async", lambda *, kwargs, **_: sent.append((kwargs["tenant"], kwargs["work"]))
    )
    monkeypatch.setattr(tasks, "_is_full", lambda *_: False)
    press_button(fresh_tenant)
    press_button(other)
    lock(somebody, fresh_tenant, "runs_conversation")  # any table of theirs
    began = time.monotonic()
    with caplog.at_level(logging.WARNING, "ratiba.events"):
        tasks.tick(every_s=15.0)
    assert time.monotonic() - began < 1, "it waited for no lock"
    assert (other, "interactive") in sent
    assert not [work for slug, work in sent if slug == fresh_tenant]
    assert [one["tenant"] for one in events(caplog, EventType.TENANT_LOCKED)] == [fresh_tenant]
    somebody.rollback()
    tasks.tick(every_s=15.0)
    assert (fresh_tenant, "interactive") in sent


def test_who_is_locked_while_a_tick_asks_costs_seconds_and_hides_nobody(
    fresh_tenant: str, other: str, somebody: Any, caplog: pytest.LogCaptureFixture
) -> None:
    press_button(fresh_tenant)
    press_button(other)
    assert set(visits_due(every_s=15).slugs) >= {fresh_tenant, other}
    lock(somebody, fresh_tenant)
    with caplog.at_level(logging.WARNING, "ratiba.events"):
        due = due_work(slugs=[fresh_tenant, other], kinds=[work_named("interactive")], now=timezone.now())
    assert due == {(other, "interactive")}
    assert [one["tenant"] for one in events(caplog, EventType.TENANT_LOCKED)] == [fresh_tenant]


def test_metrics_and_the_health_page_show_the_others(fresh_tenant: str, other: str, somebody: Any) -> None:
    press_button(fresh_tenant)
    press_button(other)
    lock(somebody, fresh_tenant)
    figures = dict(figures_of_tenants(now=timezone.now()))
    assert figures[fresh_tenant] is None
    assert figures[other] is not None
    assert figures[other]["work"]["interactive"][0] == 1


class PaidCalls:
    """Two calls, and a table in which their answers are stored."""

    def __init__(self) -> None:
        self.left, self.stored = 2, list[Any]()

    def claim(self, limit: int) -> Sequence[Any]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM jobs_interactivejob")
        some, self.left = self.left, 0
        return [(n, _answer) for n in range(some)]

    def begin(self, keys: Any) -> Any:
        return keys

    def answer_requests(self, deliveries: Any) -> Any:
        return deliveries

    def store(self, deliveries: Sequence[Any]) -> list[Any]:
        self.before_store()
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM runs_conversation")
        keys = [one.key for one in deliveries if one.final]
        self.stored += keys
        return keys

    def before_store(self) -> None: ...
    def heartbeat(self, keys: Any) -> None: ...
    def stop(self) -> None: ...
    def release(self) -> None: ...

    def next_due(self, within: timedelta) -> None:
        return None


async def _answer(client: Any, emit: Any) -> str:
    return "paid"


def loop(work: PaidCalls, sleep: Any) -> Any:
    limits = LoopLimits(concurrency=2)
    return run_worker_loop(work=work, limits=limits, client=httpx.AsyncClient, now=timezone.now, sleep=sleep)


def test_a_lane_with_paid_answers_in_hand_stores_them_when_the_lock_is_gone(fresh_tenant: str, somebody: Any) -> None:
    work = PaidCalls()
    work.before_store = lambda: locks.pop()() if locks else None  # type: ignore[method-assign]
    locks = [lambda: lock(somebody, fresh_tenant, "runs_conversation")]
    with in_tenant(fresh_tenant):
        loop(work, sleep=lambda _: somebody.rollback())
        assert sorted(work.stored) == [0, 1]
        assert Conversation.objects.count() == 0


def test_a_lane_with_nothing_in_hand_gives_up(fresh_tenant: str, somebody: Any) -> None:
    lock(somebody, fresh_tenant)
    with in_tenant(fresh_tenant), pytest.raises(OperationalError) as raised:
        loop(PaidCalls(), sleep=lambda _: pytest.fail("it waits"))
    assert lock_timed_out(raised.value)
