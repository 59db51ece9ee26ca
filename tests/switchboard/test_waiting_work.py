"""Every kind of work that a room registers is seen: how much of it waits, and for how long, in /metrics and health."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from apps.jobs import work as registry
from apps.jobs.work import Work, register, registered
from apps.tenants.context import in_tenant
from apps.tenants.domain.naming import schema_for
from ratiba_eval.metrics import exposition
from ratiba_eval.platform_health import health
from ratiba_eval.tenant_metrics import figures_of_tenants

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
EVERYBODY = {name: ["one@here"] for name in ("control", "battles", "judging", "improvement")}
KINDS = {
    "playing", "judging", "simulator_reviews", "persona_generation", "persona_validation", "checks", "gates",
    "certification", "analysis", "trial", "interactive", "callbacks", "slow_callbacks",
}  # fmt: skip


@pytest.fixture
def errands(fresh_tenant, monkeypatch):
    """A tenant with rows of a kind that no room of ours has: three wait, the oldest for 20 minutes."""
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    register(Work(name="errands", label="errand", serve="none", queue="improvement", table="guard_errand"))
    with in_tenant(fresh_tenant), connection.cursor() as cursor:
        cursor.execute("""CREATE TABLE guard_errand (id serial PRIMARY KEY, status text DEFAULT 'pending',
            created_at timestamptz, not_before timestamptz, lease_expires_at timestamptz)""")
        cursor.executemany(
            "INSERT INTO guard_errand (created_at, not_before, lease_expires_at, status) VALUES (%s, %s, %s, %s)",
            [
                (NOW - timedelta(minutes=20), None, None, "pending"),
                (NOW - timedelta(minutes=60), NOW - timedelta(minutes=3), None, "pending"),
                (NOW - timedelta(minutes=60), None, NOW - timedelta(minutes=1), "pending"),  # its worker is gone
                (NOW - timedelta(minutes=60), None, NOW + timedelta(minutes=1), "pending"),  # in somebody's hands
                (NOW - timedelta(minutes=60), NOW + timedelta(minutes=1), None, "pending"),  # waits for the clock
                (NOW - timedelta(minutes=60), None, None, "done"),
            ],
        )
    yield fresh_tenant
    with in_tenant(fresh_tenant), connection.cursor() as cursor:
        cursor.execute("DROP TABLE guard_errand")


def sample(name: str, tenant: str, work: str) -> float:
    text = exposition(now=NOW).decode()
    (value,) = re.findall(rf'^{name}{{tenant="{tenant}",work="{work}"}} (\S+)$', text, re.MULTILINE)
    return float(value)


def test_a_kind_that_was_just_registered_is_in_the_metrics_and_on_the_health_page(errands):
    assert sample("ratiba_work_waiting", errands, "errands") == 3
    assert sample("ratiba_work_oldest_seconds", errands, "errands") == 20 * 60
    found = health(now=NOW, workers=EVERYBODY)
    assert (found.backlog[0].tenant, found.backlog[0].kind, found.backlog[0].late) == (errands, "errand", True)
    assert f"errand: one of {errands} has waited 20\xa0minutes." in found.troubles


def test_the_rooms_have_registered_all_their_work(db):
    assert {kind.name for kind in registered()} >= KINDS
    figures = dict(figures_of_tenants(now=NOW))["acme"]
    assert figures is not None
    assert {name: count for name, (count, _since) in figures["work"].items()} == {one.name: 0 for one in registered()}
    assert 'ratiba_work_waiting{tenant="acme"' not in exposition(now=NOW).decode(), "no series where nothing waits"


@pytest.mark.parametrize("name", sorted(KINDS))
def test_what_says_that_work_waits_reads_no_table_that_a_tick_does_not_watch(db, name):
    kind = registry.work_named(name)
    schema = f'"{schema_for("acme")}"'
    assert set(re.findall(rf"{schema}\.(\w+)", kind.waiting(schema))) <= set(kind.tables)
