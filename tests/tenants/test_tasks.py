"""A task without a tenant is not published; one whose tenant cannot be entered fails, and never runs in public."""

import signal

import pytest
from celery import shared_task
from celery.app.trace import build_tracer
from django.db import connection, transaction

from apps.core.errors import BadInput
from apps.core.events import bound_fields
from apps.tenants import services
from apps.tenants.context import current_schema, current_slug
from apps.tenants.errors import TenantRequired, TenantUnavailable, UnknownTenant
from apps.tenants.models import Tenant
from apps.tenants.queries import each_ready_tenant
from apps.tenants.tasks import TenantTask, entered

ran: list[tuple[str, str | None, object]] = []


@shared_task(base=TenantTask, queue="control", name="tests.note", bind=True)
def note(self, word: str, *, tenant: str) -> None:
    ran.append((word, current_slug(), bound_fields().get("tenant")))


@pytest.fixture(autouse=True)
def _nothing_ran():
    ran.clear()


@pytest.fixture
def published(monkeypatch):
    """What would go to the broker, at Celery's own seam."""
    sent: list[tuple] = []
    monkeypatch.setattr(note.app, "send_task", lambda *a, **k: sent.append((a, k)))
    monkeypatch.setattr(note.app.amqp, "send_task_message", lambda *a, **k: sent.append((a, k)), raising=False)
    return sent


PUBLISH = {
    "delay": lambda **kw: note.delay("x", **kw),
    "apply_async": lambda **kw: note.apply_async(("x",), kw),
    "delay_on_commit": lambda **kw: note.delay_on_commit("x", **kw),
    "apply_async_on_commit": lambda **kw: note.apply_async_on_commit(("x",), kw),
    "signature": lambda **kw: note.s("x", **kw).apply_async(),
}


@pytest.mark.parametrize("door", PUBLISH)
@pytest.mark.parametrize("wrong", [{}, {"tenant": None}, {"tenant": ""}, {"tenant": 3}])
def test_without_a_tenant_nothing_is_published(db, published, door, wrong):
    with pytest.raises(TenantRequired):
        PUBLISH[door](**wrong)
    assert published == []


@pytest.mark.parametrize("name", ["public", "Acme", "x y"])
def test_what_is_no_tenant_is_not_published(db, published, name):
    with pytest.raises(BadInput):
        note.delay("x", tenant=name)
    assert published == []


def test_a_wait_the_broker_would_repeat_is_refused(published):
    with pytest.raises(ValueError, match="column"):
        note.apply_async(("x",), {"tenant": "acme"}, countdown=301)


def test_the_body_runs_in_its_tenant_and_leaves_it(db):
    note("x", tenant="acme")
    assert ran == [("x", "acme", "acme")]
    assert current_schema() == "public"


def test_the_body_runs_in_its_own_tenant_though_another_is_entered(tenant):
    note("x", tenant="beta")
    assert ran == [("x", "beta", "beta")]
    assert current_slug() == "acme"


def test_called_without_a_tenant_it_does_not_run(db):
    with pytest.raises(TenantRequired):
        note("x")
    assert ran == []


@pytest.mark.parametrize(
    "change, error",
    [({"ready": False}, TenantUnavailable), ({"suspended": True}, TenantUnavailable), ("gone", UnknownTenant)],
)
def test_a_tenant_that_is_closed_or_gone_fails_and_nothing_runs(db, change, error):
    if change == "gone":
        Tenant.objects.filter(slug="acme").delete()
    else:
        Tenant.objects.filter(slug="acme").update(**change)
    with pytest.raises(error):
        note("x", tenant="acme")
    assert ran == []
    assert current_schema() == "public"


def test_a_suspended_tenant_is_left_out_of_the_fan_out(db):
    services.suspend_tenant(slug="beta")
    assert each_ready_tenant() == ["acme"]
    services.suspend_tenant(slug="beta", suspended=False)
    assert each_ready_tenant() == ["acme", "beta"]


def test_a_knock_that_is_lost_costs_the_caller_nothing(committed_db, monkeypatch):
    def broken(*args, **kwargs):
        raise ConnectionError("broker is down")

    monkeypatch.setattr(TenantTask, "apply_async", broken)
    with transaction.atomic():
        note.delay_on_commit("x", tenant="acme")
    note.apply_async_on_commit(("x",), {"tenant": "acme"})


def test_the_request_is_visible_to_a_bound_body(db):
    """Task.__call__ would push an empty request over the real one; ours calls run."""
    ids: list[str] = []

    @shared_task(base=TenantTask, queue="control", name="tests.ids", bind=True)
    def remember(self, *, tenant: str) -> None:
        ids.append(self.request.id)

    task = note.app.tasks["tests.ids"]
    build_tracer(task.name, task, app=note.app, eager=True)("the-id", (), {"tenant": "acme"}, {"id": "the-id"})
    assert ids == ["the-id"]


def test_a_time_limit_in_the_middle_of_a_query_leaves_a_connection_that_takes_the_next_one(fresh_tenant):
    class TimeIsUp(Exception):
        """As Celery's soft limit: raised by a signal, wherever the program stands."""

    def ring(*_):
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with entered(fresh_tenant, task="tests.slow"), connection.cursor() as cursor:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            cursor.execute("select pg_sleep(10)")
    except TimeIsUp:
        pass
    else:
        pytest.fail("nothing ended the query")
    finally:
        signal.signal(signal.SIGALRM, before)
    with connection.cursor() as cursor:
        cursor.execute("select 1")
        assert cursor.fetchone() == (1,)
