"""/metrics: who may see it, and that it says what the rows say."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pgtrigger
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from apps.api.models import Callback
from apps.budgets.models import ModelCall
from apps.evaluations.models import Judgement
from apps.runs.models import TestRun
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from apps.tenants.queries import last_ticks
from apps.tenants.services import note_tick
from ratiba_eval.celery import _note_tick
from ratiba_eval.metrics import exposition
from ratiba_eval.request_figures import route_group
from tests.doors.addresses import all_addresses
from tests.evaluations.bench import NOW, evaluated, make_config, minutes

TICK = "work_every_15_s"


def samples(now: datetime) -> dict[tuple, float]:
    """{(name, tenant, other label values…): value}, read by Prometheus' own parser."""
    families = text_string_to_metric_families(exposition(now=now).decode())
    found = [one for family in families for one in family.samples]
    first = {"tenant": 0, "purpose": 1}
    return {
        (one.name, *(one.labels[name] for name in sorted(one.labels, key=lambda name: first.get(name, 2)))): one.value
        for one in found
    }


# --- Who may see ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "token, headers, address, status",
    [
        ("", {}, "127.0.0.1", 200),
        ("", {}, "::1", 200),
        ("", {}, "10.0.0.7", 401),
        ("", {}, "", 401),
        ("", {"x-forwarded-for": "127.0.0.1"}, "127.0.0.1", 401),
        ("", {"forwarded": "for=127.0.0.1"}, "127.0.0.1", 401),
        ("", {"authorization": "Bearer "}, "10.0.0.7", 401),
        ("s3cret", {}, "127.0.0.1", 401),
        ("s3cret", {"authorization": "Bearer wrong"}, "127.0.0.1", 401),
        ("s3cret", {"authorization": "Basic s3cret"}, "127.0.0.1", 401),
        ("s3cret", {"authorization": "Bearer s3cretä"}, "10.0.0.7", 401),
        ("s3cret", {"authorization": "Bearer s3cret"}, "10.0.0.7", 200),
        ("s3cret", {"authorization": "bearer s3cret", "x-forwarded-for": "10.0.0.9"}, "127.0.0.1", 200),
    ],
)
def test_only_the_token_or_this_machine_sees_it(db, settings, token, headers, address, status):
    settings.METRICS_TOKEN = token
    answer = Client().get("/metrics", REMOTE_ADDR=address, headers={"host": "whatever.example", **headers})
    assert answer.status_code == status
    assert (b"ratiba_tenants" in answer.content) == (status == 200)


def test_behind_a_tls_proxy_loopback_is_everybody(db, settings):
    settings.METRICS_TOKEN = ""
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert Client().get("/metrics", REMOTE_ADDR="127.0.0.1").status_code == 401


# --- What it says -----------------------------------------------------------------------------------------------------
def test_the_oldest_owed_judgement_has_an_age_until_it_is_judged_or_cancelled(db):
    with in_tenant("acme"):
        evaluation = evaluated(make_config(), "c-1", "c-2")
        evaluation.judgements.update(created_at=NOW)
        first, second = evaluation.judgements.order_by("id")
    assert samples(minutes(5))[("ratiba_work_oldest_seconds", "acme", "judging")] == 300
    assert ("ratiba_work_oldest_seconds", "beta", "judging") not in samples(minutes(5))
    assert samples(minutes(5))[("ratiba_judgements", "acme", "pending")] == 2
    with in_tenant("acme"):
        Judgement.objects.filter(pk=first.pk).update(lease_expires_at=minutes(6))  # in somebody's hands
        Judgement.objects.filter(pk=second.pk).update(not_before=minutes(4))  # the model limited us
    assert samples(minutes(5))[("ratiba_work_oldest_seconds", "acme", "judging")] == 60
    assert ("ratiba_work_oldest_seconds", "acme", "judging") not in samples(minutes(3))
    assert samples(minutes(7))[("ratiba_work_oldest_seconds", "acme", "judging")] == 420
    with in_tenant("acme"):
        type(evaluation).objects.update(status="cancelled")
    assert ("ratiba_work_oldest_seconds", "acme", "judging") not in samples(minutes(9))


def test_a_conversation_waits_unless_its_run_is_paused(db):
    with in_tenant("acme"):
        run = TestRun.objects.create(kind="battle", status="running")
        run.conversations.create(position=0, external_id="b-1", kind="replay")
        run.conversations.update(created_at=NOW)
    assert samples(minutes(2))[("ratiba_work_oldest_seconds", "acme", "playing")] == 120
    with in_tenant("acme"):
        TestRun.objects.update(status="paused")
    assert ("ratiba_work_oldest_seconds", "acme", "playing") not in samples(minutes(2))


def test_callbacks_and_model_calls_are_counted_by_tenant(db):
    with in_tenant("beta"):
        evaluation = evaluated(make_config(), "c-1")
        for status in ("pending", "failed", "gone", "delivered"):
            Callback.objects.create(
                kind="callback", subject_id=evaluation.pk, event=status, status=status, not_before=NOW
            )  # fmt: skip
        for outcome in ("ok", "ok", 'odd "name"\nof\\mine'):
            ModelCall.objects.create(
                purpose="judge", provider="x", requested_model="m", outcome=outcome, latency_ms=1500, cost_usd="0.25"
            )
        with pgtrigger.ignore("budgets.ModelCall:settled_is_final"):
            ModelCall.objects.update(created_at=NOW)
    found = samples(minutes(1))
    assert found[("ratiba_callbacks_pending", "beta")] == 1
    assert found[("ratiba_callbacks_given_up", "beta")] == 2
    assert found[("ratiba_work_oldest_seconds", "beta", "callbacks")] == 60
    assert found[("ratiba_model_calls_last_hour", "beta", "judge", "ok")] == 2
    assert found[("ratiba_model_call_seconds_last_hour", "beta", "judge", "ok")] == 3
    assert found[("ratiba_model_call_cost_usd_last_hour", "beta", "judge", "ok")] == 0.5
    assert found[("ratiba_model_calls_last_hour", "beta", "judge", 'odd "name"\nof\\mine')] == 1
    assert ("ratiba_model_calls_last_hour", "beta", "judge", "ok") not in samples(minutes(62))


def test_requests_are_counted_by_route_whatever_path_was_asked_for(db, client):
    for number in range(3):
        client.get(f"/api/v1/test-runs/{number}-there-is-none/", headers={"host": "acme.localhost"})
        client.get(f"/nobody-{number}/", headers={"host": "acme.localhost"})
    text = exposition(now=NOW).decode()
    counts = [line for line in text.splitlines() if line.startswith("ratiba_http_request_seconds_count")]
    assert any('route="none",status="4xx"' in line and float(line.split()[-1]) >= 3 for line in counts)
    assert "there-is-none" not in text
    assert "nobody-" not in text
    assert 'ratiba_http_request_seconds_bucket{le="+Inf",route="api/other",status="4' in text


@pytest.mark.parametrize("route, group", [
    ("api/v1/test-runs/<uuid:id>/status/", "api/test-runs"), ("runs/<uuid:run_id>/", "runs"), ("", "home"),
    ("admin/catalog/agent/<path:object_id>/change/", "admin"), ("metrics", "metrics"),
    ("api/v1/<path:rest>", "api/other"),
])  # fmt: skip
def test_a_route_belongs_to_the_group_of_its_first_step(route, group):
    assert route_group(route) == group


def test_groups_are_few_whatever_routes_there_are():
    groups = {route_group(address.route) for address in all_addresses()}
    assert 40 < len(groups) < 90
    assert not [group for group in groups if "<" in group or "^" in group]


def test_an_idle_tenant_costs_a_few_lines_and_no_series_of_work(db):
    lines = [line for line in exposition(now=NOW).decode().splitlines() if 'tenant="beta"' in line]
    assert lines == ['ratiba_tenant_readable{tenant="beta"} 1.0']


def test_a_tick_that_never_ended_well_is_zero_and_then_has_its_time(db):
    name = ("ratiba_tick_last_success_timestamp_seconds", TICK)
    assert samples(NOW)[name] == 0
    note_tick(name=TICK, now=NOW)
    note_tick(name=TICK, now=minutes(1))
    assert samples(NOW)[name] == minutes(1).timestamp()


def ended_task(name: str, **kwargs: object) -> object:
    return SimpleNamespace(name=name, request=SimpleNamespace(kwargs=kwargs))


def test_workers_note_ticks_and_nothing_else(db):
    before = timezone.now() - timedelta(seconds=1)
    _note_tick(sender=ended_task("apps.jobs.tasks.tick", every_s=15.0))
    _note_tick(sender=ended_task("apps.jobs.tasks.serve", tenant="acme", work="playing"))
    _note_tick(sender=ended_task("apps.runs.tasks.rescue_stalled"))
    assert set(last_ticks()) == {TICK, "rescue_stalled"}
    assert last_ticks()[TICK] > before


def test_a_tenant_that_cannot_be_read_hides_nobody_else(committed_db):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE t_acme.budgets_modelcall RENAME TO lost")
    Tenant.objects.filter(slug="acme").update(ready=True)
    found = samples(datetime.now(UTC))
    assert found[("ratiba_tenant_readable", "acme")] == 0
    assert found[("ratiba_tenant_readable", "beta")] == 1
    assert ("ratiba_callbacks_pending", "beta") not in found, "no series where there is none"


def test_closed_tenants_are_counted_and_not_entered(db):
    Tenant.objects.filter(slug="acme").update(suspended=True)
    Tenant.objects.filter(slug="beta").update(ready=False, schema_key="old")
    found = samples(NOW)
    assert (found[("ratiba_tenants", "suspended")], found[("ratiba_tenants", "not_ready")]) == (1, 1)
    assert found[("ratiba_tenants_behind",)] == 1
    assert not [key for key in found if key[0] == "ratiba_judgements"]
