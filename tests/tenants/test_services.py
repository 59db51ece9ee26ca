"""A tenant is made whole or not at all, is equal to a migrated one, and the public schema cannot go."""

import difflib
import re
import threading

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from apps.core.errors import BadInput, Conflict
from apps.tenants import queries, services
from apps.tenants.context import in_tenant
from apps.tenants.errors import TenantUnavailable, UnknownTenant
from apps.tenants.models import Domain, Tenant
from apps.tenants.schema_template import dump, migration_key


def schemas() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace")
        return {row[0] for row in cursor.fetchall()}


def tables(schema: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema])
        return {row[0] for row in cursor.fetchall()}


def normalised(text: str, schema: str) -> list[str]:
    return [line for line in text.replace(schema, "SCHEMA").splitlines() if not line.startswith("\\")]


def applied_at_left_out(lines: list[str]) -> list[str]:
    """django_migrations records when each ran: the template's build, or just now."""
    return [re.sub(r"'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*\+00'", "'TIME'", line) for line in lines]


def test_a_replayed_schema_equals_a_migrated_one(committed_db, fresh_tenant):
    migrated = "test_tenant_by_migration"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {migrated}")
    call_command("migrate_schemas", schema_name=migrated, tenant=True, verbosity=0, interactive=False)
    one = applied_at_left_out(normalised(dump(migrated), migrated))
    assert len(one) > 500
    schema = str(queries.find_tenant(fresh_tenant).schema_name)
    other = applied_at_left_out(normalised(dump(schema), schema))
    difference = list(difflib.unified_diff(one, other, lineterm="", n=0))
    assert not difference, "\n".join(difference)


def test_every_schema_has_the_same_tables_and_public_none_of_a_tenants_own(committed_db, fresh_tenant):
    found = [tables(schema) for schema in ("t_acme", "t_beta", str(queries.find_tenant(fresh_tenant).schema_name))]
    assert found[0] == found[1] == found[2]
    assert "catalog_agent" in found[0]
    assert not {name for name in tables("public") if name.startswith(("catalog_", "runs_", "evaluations_", "budgets_"))}
    assert not {name for name in found[0] if name.startswith("tenants_")}


def test_a_fresh_tenant_works_at_once_and_is_gone_after(committed_db):
    made = services.add_ephemeral_tenant(label="Dial 0712 é!")
    assert made.slug in queries.each_ready_tenant()
    assert made.schema_name in schemas()
    services.delete_tenant(slug=made.slug)
    assert made.schema_name not in schemas()
    with pytest.raises(UnknownTenant):
        queries.find_tenant(made.slug)


def test_a_taken_name_and_a_taken_host_are_conflicts_that_leave_nothing(committed_db):
    with pytest.raises(Conflict, match="already a tenant"):
        services.add_tenant(slug="acme", vertical="spa")
    with pytest.raises(Conflict, match="already leads") as refused:
        services.add_tenant(slug="gamma", vertical="spa", domains=["acme.localhost"])
    assert refused.value.code == "domain_taken"
    assert "t_gamma" not in schemas()
    assert not Tenant.objects.filter(slug="gamma").exists()


@pytest.mark.parametrize("wrong", [{"slug": "Ac me"}, {"vertical": ""}, {"vertical": "Spa!"}, {"name": "n" * 121}])
def test_wrong_input_names_its_field(db, wrong):
    with pytest.raises(BadInput) as refused:
        services.add_tenant(**{"slug": "gamma", "vertical": "spa", **wrong})
    assert refused.value.pointer == f"/{next(iter(wrong))}"


def test_tenants_are_not_made_or_dropped_inside_one(db):
    with in_tenant("acme"):
        for verb in (
            lambda: services.add_tenant(slug="gamma", vertical="spa"),
            lambda: services.delete_tenant(slug="beta"),
        ):
            with pytest.raises(Conflict):
                verb()


def test_the_public_schema_cannot_be_deleted(db):
    public = Tenant.objects.get(schema_name="public")
    for verb in (
        lambda: services.delete_tenant(slug="public"),
        public.delete,
        lambda: public.delete(force_drop=True),
        lambda: public._drop_schema(True),
    ):
        with pytest.raises(Conflict):
            verb()
    assert "public" in schemas()
    assert Tenant.objects.filter(schema_name="public").exists()


def test_the_database_refuses_a_schema_name_of_another_form(db):
    with pytest.raises(IntegrityError), transaction.atomic():
        Tenant.objects.filter(slug="acme").update(schema_name="pg_acme")


def test_ten_tenants_added_at_once_are_all_there(committed_db):
    errors: list[BaseException] = []

    def add(number: int) -> None:
        try:
            services.add_tenant(slug=f"many-{number % 5}", vertical="spa")
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=add, args=[number]) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {slug for slug in queries.each_ready_tenant() if slug.startswith("many-")} == {f"many-{n}" for n in range(5)}
    assert len(errors) == 5
    assert {getattr(error, "code", error) for error in errors} == {"tenant_exists"}
    assert len({frozenset(tables(f"t_many_{n}")) for n in range(5)}) == 1


def test_sweeping_drops_what_tests_left_with_or_without_a_row(committed_db):
    made = services.add_ephemeral_tenant()
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA test_tenant_orphan")
        cursor.execute("CREATE SCHEMA test_tenantless")
    assert services.sweep_ephemeral(keep=[str(made.schema_name)]) == ["test_tenant_orphan"]
    assert services.sweep_ephemeral() == [made.schema_name]
    assert {"t_acme", "t_beta", "test_tenantless"} <= schemas()
    assert not Domain.objects.filter(tenant__slug=made.slug).exists()


def test_a_tenant_behind_the_code_is_closed_until_it_is_migrated(committed_db):
    Tenant.objects.filter(slug="acme").update(schema_key="older", ready=False)
    assert queries.each_ready_tenant() == ["beta"]
    assert queries.tenants_behind() == 1
    with pytest.raises(TenantUnavailable):
        queries.usable_tenant("acme")
    call_command("migrate_schemas", schema_name="t_acme", tenant=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()
    assert queries.each_ready_tenant() == ["acme", "beta"]
    assert queries.find_tenant("acme").schema_key == migration_key()


def test_a_failed_migration_leaves_the_tenant_closed(committed_db):
    Tenant.objects.filter(slug="acme").update(schema_key="older")
    with connection.cursor() as cursor:  # the first migration will find its table already there
        cursor.execute("DELETE FROM t_acme.django_migrations WHERE app = 'audit'")
    with pytest.raises(Exception, match="already exists"):
        call_command("migrate_schemas", schema_name="t_acme", tenant=True, verbosity=0, interactive=False)
    connection.close()
    connection.set_schema_to_public()
    assert queries.each_ready_tenant() == ["beta"]
