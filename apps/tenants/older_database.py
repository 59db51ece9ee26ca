"""A database that code from before made is refused in words: its migrations are not those of this code."""

from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection

from apps.tenants.errors import OlderDatabase

_RECORDED = "SELECT app, array_agg(name) FROM public.django_migrations GROUP BY app"


def refuse_older_database() -> None:
    """Raise OlderDatabase where a room of ours has migrations recorded, and its first one is not among them.

    Migrations were written anew since. What is newer than this code passes: older code runs on a newer schema. Two
    queries on the public schema, some 0.5 ms; a database without tables passes. Call it outside a transaction that
    has failed.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('public.django_migrations')")
        if cursor.fetchone()[0] is None:
            return
        cursor.execute(_RECORDED)
        recorded = dict(cursor.fetchall())
    for config in apps.get_app_configs():
        first = sorted(path.stem for path in (Path(config.path) / "migrations").glob("0001_*.py"))
        names = recorded.get(config.label, [])
        if config.name.startswith("apps.") and first and names and not set(first) & set(names):
            todo = "make clean" if settings.EMBEDDED else "use a fresh database (DATABASE_URL)"
            raise OlderDatabase(
                f"This database was made by an older version (it has {config.label}.{min(names)}) and cannot be "
                f"upgraded: export what you need with that version (export_catalog, export_results), then {todo}."
            )
