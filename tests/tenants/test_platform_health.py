"""The health page says first what is wrong, and whose rows have waited longest."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings

from apps.runs.models import TestRun
from apps.tenants.checks import check_version
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant, Tick
from apps.tenants.services import note_tick
from ratiba_eval.platform_health import SHOWN, health
from tests.dashboard.conftest import make_run

NOW = datetime.now(UTC)
EVERYBODY = {queue: ["one@ratiba"] for queue in settings.QUEUES}


def all_ticks(at: datetime = NOW) -> None:
    for name in settings.CELERY_BEAT_SCHEDULE:
        note_tick(name=name, now=at)


def owe(tenant: str, *, since: datetime) -> None:
    with in_tenant(tenant):
        run, rows = make_run(1, status="running", conversation_status="pending")
        type(rows[0]).objects.filter(run=run).update(created_at=since)
        TestRun.objects.filter(pk=run.pk).update(created_at=since)


def test_no_worker_and_no_tick_are_said_before_anything_else(db):
    found = health(now=NOW, workers={"control": ["one@ratiba"]})
    assert found.sentence == "Something needs you:"
    assert "no worker takes from battles, judging, improvement." in found.troubles or "broker" in found.troubles[0]
    assert "no tick has ended yet: is beat running?" in found.troubles
    assert all(not tick.late and tick.ago == "never" for tick in found.ticks)


def test_one_late_tick_is_named(db):
    all_ticks()
    note_tick(name="rescue_stalled", now=NOW - timedelta(hours=1))
    found = health(now=NOW, workers=EVERYBODY)
    assert "late: rescue stalled." in found.troubles
    assert [tick.name for tick in found.ticks if tick.late] == ["rescue stalled"]


def test_the_oldest_owed_row_comes_first_and_is_late_after_five_minutes(db):
    all_ticks()
    owe("acme", since=NOW - timedelta(minutes=2))
    owe("beta", since=NOW - timedelta(hours=3))
    found = health(now=NOW, workers=EVERYBODY)
    assert [(row.tenant, row.kind, row.late) for row in found.backlog] == [
        ("beta", "conversation", True),
        ("acme", "conversation", False),
    ]
    assert any(trouble.startswith("conversation: one of beta has waited 3") for trouble in found.troubles)


def test_a_tenant_that_cannot_be_read_is_named_and_hides_nobody(db):
    owe("acme", since=NOW - timedelta(minutes=2))
    Tenant.objects.create(slug="lost", schema_name="t_lost", name="Lost", vertical="spa", ready=True)
    found = health(now=NOW, workers=EVERYBODY)
    assert found.unreadable == ["lost"]
    assert "1 tenant cannot be read." in found.troubles
    assert found.backlog[0].tenant == "acme"


def test_only_the_oldest_are_listed_and_the_others_counted(db, monkeypatch):
    rows = {f"t-{n}": {"work": {"judging": [1, (NOW - timedelta(minutes=n)).isoformat()]}} for n in range(SHOWN + 5)}
    monkeypatch.setattr("ratiba_eval.platform_health.figures_of_tenants", lambda **_: rows.items())
    found = health(now=NOW, workers=EVERYBODY)
    assert (len(found.backlog), found.more, found.backlog[0].tenant) == (SHOWN, 5, f"t-{SHOWN + 4}")


def test_a_tick_that_never_ran_is_not_late_beside_others_that_did(db):
    all_ticks()
    Tick.objects.filter(name="rescue_stalled").delete()
    found = health(now=NOW, workers=EVERYBODY)
    assert [(tick.ago, tick.late) for tick in found.ticks if tick.ago == "never"] == [("never", False)]
    assert not any("late" in trouble or "beat" in trouble for trouble in found.troubles)


@pytest.mark.parametrize("version, refused", [(140011, True), (150018, False), (160004, False), (180000, False)])
def test_a_server_before_postgres_15_is_refused_by_name(version, refused):
    problems = check_version(version)
    assert [problem.id for problem in problems] == (["tenants.E003"] if refused else [])
