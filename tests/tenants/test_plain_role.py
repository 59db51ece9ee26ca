"""Everything runs as a role without special rights that owns its database, as documented; the tests themselves do."""

import io
import json

import pytest
from django.core.management import call_command
from django.db import connection

from apps.audit.domain.eraser_sql import SIGNATURE
from apps.tenants.models import Tenant
from apps.tenants.upgrading import upgrade_all

RIGHTS = """
SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
  (SELECT pg_get_userbyid(datdba) = current_user FROM pg_database WHERE datname = current_database())
FROM pg_roles WHERE rolname = current_user
"""


def upgraded() -> dict:
    out = io.StringIO()
    call_command("upgrade", "--json", "--allow-broken", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def run(statement: str) -> tuple | None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone() if cursor.description else None


def test_the_role_of_the_tests_has_no_special_right_and_owns_its_database(db):
    assert run(RIGHTS) == (False, False, False, False, False, True)


@pytest.mark.parametrize(
    "harm",
    [
        f"DROP FUNCTION {SIGNATURE}",
        "DROP FUNCTION public.ratiba_is_erasing()",
        f"COMMENT ON FUNCTION {SIGNATURE} IS 'of an older list of columns'",
        f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO PUBLIC",  # a restore without privileges
    ],
)
def test_an_upgrade_makes_what_no_migration_owes_and_says_up_to_date_only_then(committed_db, harm):
    """The first one died after its migrations were recorded: the second one found nothing to do, and no function."""
    run(harm)
    assert upgraded() == {"public_migrated": True, "tenants_migrated": 0, "broken": {}}
    assert run(f"SELECT has_function_privilege('public', '{SIGNATURE}', 'EXECUTE')") == (False,)
    assert not upgraded()["public_migrated"]


def test_tenants_that_were_closed_for_it_are_opened_by_the_next_upgrade(committed_db):
    run(f"DROP FUNCTION {SIGNATURE}")
    Tenant.objects.filter(slug__in=["acme", "beta"]).update(ready=False, schema_key="")
    done = upgrade_all(parallel=2)
    assert (done.public, done.migrated, dict(done.broken)) == (True, 2, {})
    assert set(Tenant.objects.filter(slug__in=["acme", "beta"]).values_list("ready", flat=True)) == {True}
