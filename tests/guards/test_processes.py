"""What a process loads, and what every command and schema must have."""

import json
import socket
import subprocess
import sys

import httpx
import pytest
from django.core.management import call_command, get_commands
from django.db import connection, transaction

from apps.tenants.models import Tenant
from tests.conftest import transaction_of_ours
from tests.guards.source import ROOT, files

HEAVY = ("deepeval", "langfuse", "pyarrow", "openai", "anthropic", "a2a")


@pytest.mark.parametrize(
    "process",
    [
        "import manage, sys; sys.argv = ['manage.py', 'check']; manage.main()",
        "from ratiba_eval.web import application; from django.urls import get_resolver; get_resolver().url_patterns",
        "from ratiba_eval.celery import app; app.loader.import_default_modules(); import celery.beat",
    ],
    ids=["check", "web", "beat"],
)
def test_heavy_packages_stay_out(process):
    asked = f"{process}\nimport sys, json; print(json.dumps([n for n in {HEAVY!r} if n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_a_check_loads_no_network_client_and_nothing_that_computes():
    """The budget of `check` is 1.5 s; httpx costs 0.2 s, numpy 0.1 s, and every command pays what check pays."""
    asked = "import manage, sys; sys.argv = ['manage.py', 'check']; manage.main()"
    asked += "\nprint('httpx' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False False"


def test_every_command_of_ours_is_named_in_a_test():
    texts = [path.read_text(encoding="utf-8") for path in files("tests") if "guards" not in path.parts]
    ours = [name for name, where in get_commands().items() if str(where).startswith(("apps.", "ratiba_eval"))]
    assert "add_tenant" in ours
    assert not [name for name in ours if not any(f'"{name}"' in text or f" {name} " in text for text in texts)]


def test_models_and_migrations_agree(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=1)


def test_every_tenants_schema_has_the_same_tables(db):
    """A table that is missing in a tenant would be read from public without a word."""
    found: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        for schema in Tenant.objects.values_list("schema_name", flat=True):
            cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema])
            found[schema] = {row[0] for row in cursor.fetchall()}
    public = found.pop("public")
    assert len(set(map(frozenset, found.values()))) == 1, {name: len(tables) for name, tables in found.items()}
    everywhere = {"django_migrations", "django_content_type", "django_session", "django_admin_log", "audit_entry"}
    shared = {name for name in next(iter(found.values())) & public if not name.startswith("auth_")}
    assert shared == everywhere


def test_no_tenant_table_points_at_a_public_one(db):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint c "
            "JOIN pg_class one ON one.oid = conrelid JOIN pg_class other ON other.oid = confrelid "
            "WHERE contype = 'f' AND one.relnamespace <> other.relnamespace"
        )
        assert cursor.fetchall() == []


def test_a_connection_inside_a_transaction_is_caught(db):
    """The watch every test runs under is itself awake: sockets and httpx, but not the transaction around a test."""
    assert not transaction_of_ours()
    with socket.socket() as plug:
        plug.bind(("127.0.0.1", 0))
        plug.listen()
        with socket.create_connection(plug.getsockname()):
            pass
        with transaction.atomic():
            with pytest.raises(RuntimeError, match="network inside a transaction"):
                socket.create_connection(plug.getsockname())
            with pytest.raises(RuntimeError, match="network inside a transaction"):
                httpx.get(f"http://127.0.0.1:{plug.getsockname()[1]}/")
