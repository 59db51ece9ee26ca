"""Every migration goes back as well as forth: app by app to nothing, and up again to the same schema."""

from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from apps.tenants import services
from apps.tenants.context import in_tenant
from apps.tenants.schema_template import dump, migration_key

OURS = [name.rpartition(".")[2] for name in settings.TENANT_APPS if name.startswith("apps.")]


def migrated_apps() -> list[str]:
    """Our tenant apps that have migrations, those others depend on last."""
    labels = {label for label, _ in MigrationExecutor(connection).loader.graph.nodes}
    return [label for label in reversed(OURS) if label in labels]


def tables(schema: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema])
        return {row[0] for row in cursor.fetchall()}


def migrate(schema: str, *target: str) -> None:
    call_command("migrate_schemas", *target, schema_name=schema, tenant=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()


@pytest.fixture
def scratch(committed_db):
    made = services.add_ephemeral_tenant(label="there and back")
    return str(made.schema_name)


def test_every_migration_goes_back_and_forth(scratch):
    labels = migrated_apps()
    assert {"catalog"} <= set(labels)
    before, shape = tables(scratch), structure(scratch)
    with in_tenant(scratch):  # by one executor, which makes the models of each migration once for all apps
        MigrationExecutor(connection).migrate([(label, None) for label in labels])
    left = {name for name in tables(scratch) if name.startswith(tuple(f"{label}_" for label in labels))}
    assert not left, f"backwards left {left}"
    migrate(scratch)
    assert tables(scratch) == before
    assert structure(scratch) == shape


def test_the_land_registers_own_migrations_go_back_and_forth(committed_db):
    for slug in ("acme", "beta"):
        services.delete_tenant(slug=slug)
    call_command("migrate_schemas", "tenants", "zero", shared=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()
    assert "tenants_tenant" not in tables("public")
    call_command("migrate_schemas", shared=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()
    assert services.add_tenant(slug="again", vertical="spa").schema_key == migration_key()


def test_migrations_say_what_they_do():
    wrong = [
        f"{config.label}.{path.name}"
        for config in apps.get_app_configs()
        if config.name.startswith("apps.")
        for path in Path(config.path, "migrations").glob("[0-9]*.py")
        if "_auto_" in path.name
    ]
    assert not wrong


def structure(schema: str) -> list[str]:
    """The dump without rows, sorted: migrating again changes ids and orders, not what there is."""
    kept = [line for line in dump(schema).splitlines() if line.startswith(("CREATE", "ALTER", "    ADD", "    "))]
    return sorted(line.rstrip(",;") for line in kept if "INSERT" not in line and not line.lstrip().startswith("("))
