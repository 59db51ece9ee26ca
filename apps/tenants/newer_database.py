"""A database that newer code has migrated is not upgraded by older code, which would record its own as the last."""

from collections.abc import Collection, Sequence

from django.apps import apps
from django.conf import settings
from django.db import connection
from psycopg import sql

from apps.tenants.errors import NewerDatabase

_SCHEMAS_AT_ONCE = 50
_WITH_RECORDS = "SELECT schemaname FROM pg_tables WHERE tablename = 'django_migrations' AND schemaname = ANY(%s)"
_UNKNOWN = """
SELECT {name} AS schema, id, app || '.' || name FROM {schema}.django_migrations
WHERE app = ANY(%(ours)s) AND app || '.' || name <> ALL(%(known)s)
"""


def refuse_newer_database(schemas: Sequence[str], *, known: Collection[tuple[str, str]]) -> None:
    """Refuse a database where one of these schemas has a newer migration.

    Raises NewerDatabase where a migration of a room of ours is recorded that is not `known`, as (app, name); it names
    the newest.

    Changes nothing. One query, and one for each fifty schemas; a schema without tables passes.
    """
    named = {
        "ours": [config.label for config in apps.get_app_configs() if config.name.startswith("apps.")],
        "known": [".".join(key) for key in known],
    }
    if not schemas:
        return
    with connection.cursor() as cursor:
        cursor.execute(_WITH_RECORDS, [list(schemas)])
        migrated = [row[0] for row in cursor.fetchall()]
        for start in range(0, len(migrated), _SCHEMAS_AT_ONCE):
            parts = [
                sql.SQL(_UNKNOWN).format(name=sql.Literal(schema), schema=sql.Identifier(schema))
                for schema in migrated[start : start + _SCHEMAS_AT_ONCE]
            ]
            query = sql.SQL("{} ORDER BY schema, id DESC LIMIT 1").format(sql.SQL(" UNION ALL ").join(parts))
            cursor.execute(query, named)
            if newest := cursor.fetchone():
                raise NewerDatabase(_refusal(schema=newest[0], migration=newest[2]))


def _refusal(*, schema: str, migration: str) -> str:
    back = "make clean" if settings.EMBEDDED else "restore the backup of before (docs/operate.md, Go back)"
    return (
        f"The schema {schema} was migrated by a newer version (it has {migration}, which this one lacks), so this "
        f"version may serve it and must not upgrade it: install that version again, or {back}."
    )
