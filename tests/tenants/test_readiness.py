"""Ready means: this process can serve. What is wrong elsewhere is told, and takes nobody off the air."""

import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from apps.tenants.models import Tenant
from apps.tenants.public_schema import public_schema
from apps.tenants.upgrading import upgrade_all
from ratiba_eval.celery import app
from ratiba_eval.metrics import exposition
from ratiba_eval.platform_health import health, workers_by_queue
from ratiba_eval.stack.valkey import Valkey
from tests.tenants.test_upgrading import break_acme, left_behind

NOW = datetime.now(UTC)
EVERYBODY = {queue: ["one@ratiba"] for queue in settings.QUEUES}


def ready() -> tuple[int, str, dict[str, str]]:
    answer = Client().get("/readyz", headers={"host": "10.0.0.7"})
    body = answer.json()
    return answer.status_code, body["status"], body["checks"]


def page_of(slug: str) -> int:
    return Client(headers={"host": f"{slug}.localhost"}).get("/admin/login/").status_code


def sample(name: str) -> str:
    lines = exposition(now=NOW).decode().splitlines()
    return next(line.rpartition(" ")[2] for line in lines if line.startswith(f"{name} "))


def record(app_label: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO public.django_migrations (app, name, applied) VALUES (%s, %s, now())", [app_label, name]
        )


def forget(app_label: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM public.django_migrations WHERE app = %s AND name = %s", [app_label, name])


@pytest.fixture
def stopped_broker(monkeypatch: pytest.MonkeyPatch, settings) -> Iterator[str]:
    """The address of a broker that ran, and was stopped."""
    folder = Path(tempfile.mkdtemp(prefix="rb-", dir="/tmp"))
    valkey = Valkey(folder / "var")
    valkey.start()
    settings.REDIS_URL = valkey.url
    monkeypatch.setattr(app.conf, "broker_url", valkey.url)
    monkeypatch.setattr(app.conf, "broker_read_url", valkey.url)
    assert ready()[1] == "ok"
    valkey.stop()
    yield valkey.url
    shutil.rmtree(folder, ignore_errors=True)


def test_what_was_just_migrated_fits_the_code(db):
    schema = public_schema()
    assert (schema.missing, schema.newer) == ((), False)
    assert ready() == (200, "ok", {"database": "ok", "schema": "ok", "broker": "ok", "tenants": "ok"})


def test_an_old_web_serves_on_a_new_schema(db):
    record("tenants", "9999_of_the_next_version")
    Tenant.objects.filter(slug="acme").update(schema_key="of-the-next-version")
    status, word, checks = ready()
    assert (status, word, checks["schema"]) == (200, "degraded", "ok")
    assert checks["tenants"] == "1 tenant migrated by a newer version, which this one can serve."
    assert page_of("acme") == 200
    assert (sample("ratiba_tenants_ahead"), sample("ratiba_tenants_behind")) == ("1.0", "0.0")
    assert any("(acme) migrated by a newer version" in one for one in health(now=NOW, workers=EVERYBODY).troubles)


def test_a_new_web_on_an_old_public_schema_serves_nobody_and_says_what_to_do(db):
    forget("tenants", "0006_rate_of_a_limited_model")
    status, word, checks = ready()
    assert (status, word, checks["database"]) == (503, "unavailable", "ok")
    assert checks["schema"] == (
        "the public schema is older than this code (it lacks tenants.0006_rate_of_a_limited_model): "
        "run manage.py upgrade"
    )
    assert any("public schema is older" in one for one in health(now=NOW, workers=EVERYBODY).troubles)


def test_one_tenant_that_cannot_be_migrated_keeps_no_new_web_off_the_air(committed_db):
    left_behind("acme", "beta")
    break_acme()
    assert list(upgrade_all().broken) == ["acme"]
    status, word, checks = ready()
    assert (status, word) == (200, "degraded")
    assert checks["tenants"].startswith("1 tenant closed: an upgrade is at work, or could not migrate")
    assert "acme" not in checks["tenants"], "whoever asks learns no names"
    assert (page_of("acme"), page_of("beta")) == (404, 200)
    assert 'ratiba_tenants{state="not_ready"} 1.0' in exposition(now=NOW).decode()
    assert any("1 tenant (acme) closed" in one for one in health(now=NOW, workers=EVERYBODY).troubles)


def test_tenants_that_are_behind_are_told(db):
    left_behind("acme", "beta")
    status, _, checks = ready()
    assert (status, checks["tenants"]) == (200, "2 tenants behind this code: run manage.py upgrade.")
    assert sample("ratiba_tenants_behind") == "2.0"


def test_a_broker_that_is_away_takes_nobody_off_the_air(db, stopped_broker):
    status, word, checks = ready()
    assert (status, word) == (200, "degraded")
    assert checks["broker"].endswith("work is late and not lost")
    assert page_of("acme") == 200


def test_the_health_page_answers_while_the_broker_is_away(db, stopped_broker, admin_of_the_platform):
    assert workers_by_queue() == {}
    answer = admin_of_the_platform.get("/admin/health/")
    assert answer.status_code == 200
    assert b"the broker does not answer" in answer.content.lower()
    assert "ratiba_queue_messages{" not in exposition(now=NOW).decode()


@pytest.fixture
def admin_of_the_platform(db) -> Client:
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps are loaded by then

    client = Client(headers={"host": "platform.localhost"})
    client.force_login(User.objects.create_superuser("operator"))
    return client
