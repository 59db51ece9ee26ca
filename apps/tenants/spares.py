"""Schemas made beforehand: adding a tenant is then a rename, and takes what its rows take.

A spare is what `replay` makes, under a name no tenant can have, which says by which migrations it was made. It has no
row, so nothing that goes over tenants sees it. A tick keeps some ready; where none is, the tenant's schema is replayed.
"""

import uuid

from django.db import transaction

from apps.tenants.context import in_public
from apps.tenants.domain.naming import SPARE, SPARE_SCHEMA
from apps.tenants.schema_template import migration_key, replay, template_sql
from apps.tenants.wire import connection

_FILLING = 724_502  # one process makes spares of a database at a time
_TAKING = 724_503  # with the hash of its name: somebody takes or drops this one
# The locks are tried one by one, in order, up to the first that nobody has: OFFSET keeps the two steps apart.
_FREE = """
SELECT nspname FROM
  (SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname::text, %s) ORDER BY oid OFFSET 0) spare
WHERE pg_try_advisory_xact_lock(%s, hashtext(nspname)) LIMIT 1
"""
_TRIES = 5  # each lost one was taken by somebody between two statements


def _ours() -> str:
    return f"{SPARE_SCHEMA}{migration_key()}_"


def take_spare(schema: str) -> bool:
    """Rename a spare of this code's migrations to `schema`; False where none is free. Waits for nobody.

    Part of the caller's transaction: rolled back, it is a spare again. Three queries. Raises ProgrammingError where the
    schema exists.
    """
    with connection.cursor() as cursor:
        for _ in range(_TRIES):
            spare = _locked(_ours())
            if spare is None:
                return False
            if _exists(spare):  # its last owner may have committed before we got the lock
                cursor.execute(f'ALTER SCHEMA "{spare}" RENAME TO "{schema}"')
                return True
    return False


def keep_spares(*, wanted: int) -> int:
    """Make the spares that are missing, drop those too many; → how many were made. Outside any transaction.

    One transaction each; a spare costs what a tenant's schema costs (schema_template). One query when nothing is to be
    done. Safe to repeat and to race: whoever comes second does nothing.
    """
    made = 0
    with in_public():
        while len(found := _spares(_ours())) > wanted and _drop(found[0]):
            pass
        while len(_spares(_ours())) < wanted and _add(wanted):
            made += 1
    return made


def drop_stale_spares() -> int:
    """Drop spares that other migrations made; → how many. One query when there is none. Safe to repeat and to race."""
    with in_public():
        return sum(_drop(spare) for spare in _spares(SPARE_SCHEMA) if not spare.startswith(_ours()))


def _add(wanted: int) -> bool:
    template_sql()  # a missing template is built before the transaction, which it would close
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_FILLING])
        if not cursor.fetchone()[0] or len(_spares(_ours())) >= wanted:
            return False
        replay(f"{_ours()}{uuid.uuid4().hex[:12]}")
    return True


def _drop(spare: str) -> bool:
    with transaction.atomic(), connection.cursor() as cursor:
        if _locked(spare) is None or not _exists(spare):
            return False
        cursor.execute(f'DROP SCHEMA "{spare}" CASCADE')
    return True


def _locked(prefix: str) -> str | None:
    with connection.cursor() as cursor:
        cursor.execute(_FREE, [prefix, _TAKING])
        row = cursor.fetchone()
        return row[0] if row and SPARE.fullmatch(row[0]) else None


def _exists(schema: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_namespace WHERE nspname = %s", [schema])
        return cursor.fetchone() is not None


def _spares(prefix: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %s) ORDER BY oid", [prefix])
        return [row[0] for row in cursor.fetchall() if SPARE.fullmatch(row[0])]
