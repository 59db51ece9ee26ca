"""Tell whether the public schema fits this code: older than it, the same, or newer."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django_tenants.routers import TenantSyncRouter

from apps.tenants.connection import connection

_EXISTS = "SELECT to_regclass('public.django_migrations') IS NOT NULL"
_RECORDED = "SELECT app, name FROM public.django_migrations"
Migration = tuple[str, str]  # app, name


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicSchema:
    """State of the public schema beside the code.

    `missing`: migrations of the code that it lacks, in order; with any, pages and tasks fail. `newer`: newer code has
    migrated it, on which this code runs.
    """

    missing: tuple[str, ...]
    newer: bool


def public_schema() -> PublicSchema:
    """Read what is recorded in it, from wherever it is asked. Two queries. Raises as the database does where it is
    away."""
    with connection.cursor() as cursor:
        cursor.execute(_EXISTS)
        recorded: set[Migration] = set()
        if cursor.fetchone()[0]:
            cursor.execute(_RECORDED)
            recorded = {(app, name) for app, name in cursor.fetchall()}
    known, shared = _migrations()
    apps_of_ours = {app for app, _ in known}
    missing = sorted(f"{app}.{name}" for app, name in shared - recorded)
    return PublicSchema(missing=tuple(missing), newer=any(app in apps_of_ours for app, _ in recorded - known))


@lru_cache(maxsize=1)
def _migrations() -> tuple[frozenset[Migration], frozenset[Migration]]:
    """Return the migrations of the code.

    They are all of them (Django records each in `public`, also those that change nothing there), and those of the apps
    whose tables are there.
    """
    known = {
        (config.label, path.stem)
        for config in apps.get_app_configs()
        for path in (Path(config.path) / "migrations").glob("[0-9]*.py")
    }
    in_list = TenantSyncRouter().app_in_list
    return frozenset(known), frozenset(one for one in known if in_list(one[0], settings.SHARED_APPS))
