"""A tenant is read again only when something in it may have changed: a scrape of many quiet tenants stays cheap."""

from datetime import UTC, datetime, timedelta

import pgtrigger
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.budgets.models import ModelCall
from apps.jobs.work import registered
from apps.tenants import services
from apps.tenants.context import in_tenant
from apps.tenants.domain.naming import schema_for
from ratiba_eval import tenant_metrics as tenant_figures
from ratiba_eval.tenant_metrics import figures_of_tenants

NOW = datetime.now(UTC)


def call(tenant: str, *, at: datetime) -> None:
    """A model call of that time, committed, and counted by Postgres at once instead of within a second."""
    with in_tenant(tenant):
        made = ModelCall.objects.create(
            purpose="judge", provider="offline", requested_model="x", model="x", outcome="ok", input_tokens=1,
            cached_tokens=0, output_tokens=1, reasoning_tokens=0, latency_ms=1,
        )  # fmt: skip
        with pgtrigger.ignore("budgets.ModelCall:settled_is_final"):
            ModelCall.objects.filter(pk=made.pk).update(created_at=at)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")


def asked() -> tuple[dict, set[str]]:
    """The figures, and which tenants' tables were read for them."""
    with CaptureQueriesContext(connection) as captured:
        found = dict(figures_of_tenants(now=NOW))
    text = "".join(one["sql"] for one in captured)
    return found, {slug for slug in found if f'"{schema_for(slug)}".runs_testrun' in text}


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(tenant_figures, "_kept", {})


def test_a_tenant_with_empty_tables_is_never_read(committed_db, fresh_tenant):
    found, read = asked()
    assert fresh_tenant not in read
    assert found[fresh_tenant]["work"] == {kind.name: [0, None] for kind in registered()}


def test_a_quiet_tenant_is_read_once_and_again_when_something_was_written(committed_db):
    call("acme", at=NOW - timedelta(hours=3))
    assert [asked()[1] for _ in range(3)] == [{"acme"}, set(), set()]
    call("acme", at=NOW - timedelta(minutes=1))
    found, read = asked()
    assert read == {"acme"}
    assert found["acme"]["calls"] == [["judge", "ok", 1, 0.001, 0]]


def test_what_one_process_read_the_next_one_knows(committed_db, monkeypatch):
    call("acme", at=NOW - timedelta(hours=4))
    first, read = asked()
    assert read == {"acme"}
    monkeypatch.setattr(tenant_figures, "_kept", {})
    assert asked() == (first, set())
    monkeypatch.setattr(tenant_figures, "_kept", {})
    monkeypatch.setattr(tenant_figures, "_shape", lambda: "of other code")
    assert asked()[1] == {"acme"}


def test_a_hundred_that_must_be_read_cost_as_many_statements_as_two(committed_db, monkeypatch):
    made = [services.add_ephemeral_tenant(label="figures").slug for _ in range(6)]
    for slug in made:
        call(slug, at=NOW - timedelta(minutes=1))
    for together, most in ((50, 5), (3, 6)):
        monkeypatch.setattr(tenant_figures, "_TOGETHER", together)
        with CaptureQueriesContext(connection) as captured:
            assert all(
                one["calls"] == [["judge", "ok", 1, 0.001, 0]]
                for slug, one in figures_of_tenants(now=NOW)
                if slug in made
            )
        small = ("search_path", "lock_timeout", "BEGIN", "COMMIT")
        assert len([one for one in captured if not any(word in one["sql"] for word in small)]) <= most
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER TABLE "{schema_for(made[0])}".jobs_outbounddelivery RENAME COLUMN status TO state')
    found = dict(figures_of_tenants(now=NOW))
    assert [found[slug] is None for slug in made] == [True, *[False] * 5], "the broken one is named, the others shown"
    for slug in made:
        services.delete_tenant(slug=slug)


def test_calls_of_the_last_hour_grow_old_by_the_clock_so_they_are_read_each_time(committed_db):
    call("acme", at=NOW - timedelta(minutes=59))
    assert [asked()[1] for _ in range(2)] == [{"acme"}, {"acme"}]


def test_inside_a_transaction_its_own_rows_are_seen(db):
    with in_tenant("acme"):
        ModelCall.objects.create(
            purpose="judge", provider="offline", requested_model="x", model="x", outcome="ok", input_tokens=1,
            cached_tokens=0, output_tokens=1, reasoning_tokens=0, latency_ms=1,
        )  # fmt: skip
    assert dict(figures_of_tenants(now=datetime.now(UTC)))["acme"]["calls"] == [["judge", "ok", 1, 0.001, 0]]
