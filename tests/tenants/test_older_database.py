"""A database made before migrations were written anew is refused in one sentence, and nothing is changed in it."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.tenants import upgrading
from apps.tenants.errors import OlderDatabase
from apps.tenants.older_database import refuse_older_database
from apps.tenants.upgrading import upgrade_all
from ratiba_eval import preparation

# What commit 8f77831 recorded for some of its rooms.
OLD = [
    ("tenants", "0001_land_register"),
    ("tenants", "0007_kept_figures"),
    ("catalog", "0001_initial"),
    ("runs", "0001_initial"),
    ("evaluations", "0001_initial"),
    ("evaluations", "0009_judgements_worst_first"),
    ("budgets", "0001_ledger"),
]


@pytest.fixture
def made_before(db):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = ANY(%s)", [sorted({app for app, _ in OLD})])
        cursor.executemany("INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())", OLD)


@pytest.mark.parametrize(
    "command",
    [
        ("upgrade",),
        ("upgrade", "--allow-broken"),
        ("add_tenant", "new", "--vertical", "spa"),
        ("reconcile_runs", "--tenant", "acme"),
    ],
)
def test_a_command_refuses_it_with_what_to_do(made_before, command):
    with pytest.raises(CommandError) as refused:
        call_command(*command, stdout=io.StringIO())
    assert refused.value.returncode == 2
    for word in ("made by an older version", "export_results", "then"):
        assert word in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("embedded, todo", [(True, "make clean"), (False, "fresh database")])
def test_what_to_do_depends_on_whose_database_it_is(made_before, settings, embedded, todo):
    settings.EMBEDDED = embedded
    with pytest.raises(OlderDatabase, match=todo):
        refuse_older_database()


def test_an_upgrade_changes_nothing_in_it(made_before, monkeypatch):
    monkeypatch.setattr(upgrading, "call_command", lambda *args, **kwargs: pytest.fail(f"migrated {args}"))
    with pytest.raises(OlderDatabase):
        upgrade_all()


def test_preparation_says_it_in_a_line_and_ends_with_2(made_before, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(preparation.local_stack, "state_dir", lambda: tmp_path)
    assert preparation.main(["--web", "8000", "--agent", "8123", "--pega", "8124"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_one_old_room_is_enough(db):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'evaluations'")
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES "
            "('evaluations', '0009_judgements_worst_first', now())"
        )
    with pytest.raises(OlderDatabase, match=r"evaluations\.0009_judgements_worst_first"):
        refuse_older_database()


def test_a_database_that_is_newer_is_not_refused(db):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('evaluations', '0999_tomorrow', now())"
        )
    refuse_older_database()


def test_a_database_without_tables_is_not_refused(db):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_migrations RENAME TO not_there")
    refuse_older_database()
