"""Going back: a database that newer code has migrated is not upgraded by older code, and is told which way is open."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.tenants import upgrading
from apps.tenants.errors import NewerDatabase
from apps.tenants.models import Tenant
from apps.tenants.queries import tenants_behind
from apps.tenants.upgrading import upgrade_all
from ratiba_eval import preparation


def recorded(schema: str, *names: str) -> None:
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(
                f'INSERT INTO "{schema}".django_migrations (app, name, applied) VALUES (%s, %s, now())',  # noqa: S608
                name.split("."),
            )


@pytest.fixture
def newer(committed_db, monkeypatch):
    """Newer code has migrated the public schema and acme; this one may change nothing."""
    monkeypatch.setattr(upgrading, "call_command", lambda *args, **kwargs: pytest.fail(f"migrated {args}"))
    recorded("public", "runs.0998_tomorrow", "gates.0999_the_day_after")
    Tenant.objects.filter(slug="acme").update(schema_key="of-newer-code")


@pytest.mark.parametrize("options", [(), ("--allow-broken",)])
def test_the_upgrade_of_older_code_refuses_it_in_one_sentence(newer, options):
    with pytest.raises(CommandError) as refused:
        call_command("upgrade", *options, stdout=io.StringIO(), stderr=io.StringIO())
    assert refused.value.returncode == 2
    said = str(refused.value)
    assert "gates.0999_the_day_after" in said
    assert "newer version" in said
    assert said.count(". ") == 0
    assert Tenant.objects.get(slug="acme").schema_key == "of-newer-code"
    assert tenants_behind() == 1


@pytest.mark.parametrize("embedded, way", [(True, "make clean"), (False, "docs/operate.md")])
def test_the_way_back_depends_on_whose_database_it_is(newer, settings, embedded, way):
    settings.EMBEDDED = embedded
    with pytest.raises(NewerDatabase, match=way):
        upgrade_all()


def test_preparation_says_it_in_a_line_and_ends_with_2(newer, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(preparation.local_stack, "state_dir", lambda: tmp_path)
    assert preparation.main(["--web", "8000", "--agent", "8123", "--pega", "8124"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_one_tenant_that_newer_code_made_is_enough(committed_db):
    """Restored from a newer server's backup, or migrated by hand."""
    recorded("t_beta", "runs.0998_tomorrow")
    assert upgrade_all().migrated == 0  # its digest says that it is this code's: nobody looks
    Tenant.objects.filter(slug__in=["acme", "beta"]).update(schema_key="another")
    with pytest.raises(NewerDatabase, match=r"t_beta .*runs\.0998_tomorrow"):
        upgrade_all()
    assert tenants_behind() == 2


def test_what_is_not_ours_and_what_has_no_tables_is_not_looked_at(committed_db):
    recorded("public", "somebodys_app.0999_tomorrow")
    Tenant.objects.create(slug="gone", schema_name="t_gone", vertical="spa", schema_key="another")
    assert list(upgrade_all().broken) == ["gone"]


def test_a_tenant_is_added_on_a_newer_database_as_before(newer):
    """Older code may serve it; what it adds is behind for the newer code, which migrates it."""
    call_command("add_tenant", "later", "--vertical", "spa", stdout=io.StringIO())
    assert Tenant.objects.get(slug="later").ready
    call_command("shell", "-c", "from apps.tenants.services import delete_tenant; delete_tenant(slug='later')", "-v0")
