"""Bringing every schema up to the code: what is up already costs nothing, what breaks stops nobody else."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from apps.core.events import EventType, log_event
from apps.tenants.context import in_public
from apps.tenants.queries import schemas_behind


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """What was done. `broken` names each tenant that is closed now, with the first line of why."""

    public: bool
    migrated: int
    broken: Mapping[str, str]


def upgrade_all(*, on_tenant: Callable[[str, str | None], None] = lambda slug, problem: None) -> Upgraded:
    """Migrate the public schema where it owes something, then each tenant whose recorded digest is not the code's.

    Three queries and no tenant entered when nothing changed, however many tenants there are. Each tenant's digest is
    recorded when it has ended well, so a killed upgrade goes on where it was: repeat it. A tenant whose migration fails
    is left closed (not ready) and named, and the next one follows. `on_tenant` hears of each. Not inside a transaction.
    """
    broken: dict[str, str] = {}
    migrated = 0
    with in_public():
        executor = MigrationExecutor(connection)
        owed = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        if owed:
            call_command("migrate_schemas", shared=True, interactive=False, verbosity=0)
        behind = schemas_behind()
    for slug, schema in behind:
        problem = _migrate(schema)
        if problem is None:
            migrated += 1
        else:
            broken[slug] = problem
            log_event(EventType.LOG, level=logging.ERROR, check="upgrade", tenant=slug, why=problem)
        on_tenant(slug, problem)
    return Upgraded(public=owed, migrated=migrated, broken=broken)


def _migrate(schema: str) -> str | None:
    """One tenant; None when it ended well, else what went wrong, in a line."""
    try:
        with in_public():
            call_command("migrate_schemas", tenant=True, schema_name=schema, interactive=False, verbosity=0)
    except Exception as error:  # a migration may raise anything, and the others must go on
        lines = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {lines[0]}"[:300]
    return None
