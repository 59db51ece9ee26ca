"""Bringing every schema up to the code: what is up already costs nothing, what breaks stops nobody else."""

import logging
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from kombu import pools

from apps.core.events import EventType, log_event
from apps.core.processes import die_with_parent
from apps.tenants.context import in_public
from apps.tenants.domain.naming import PUBLIC
from apps.tenants.newer_database import refuse_newer_database
from apps.tenants.older_database import refuse_older_database
from apps.tenants.public_steps import take_public_steps
from apps.tenants.queries import schemas_behind

MAX_PROCESSES = 8  # each holds 100 MB and a connection; beyond the processors it gains nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """The result of an upgrade. `public` says whether the public schema changed: by migrations, or by steps beside
    them. `broken` names each tenant that is closed now, with the first line of why."""

    public: bool
    migrated: int
    broken: Mapping[str, str]


def usual_parallel() -> int:
    """Return as many as processors we may use, at most MAX_PROCESSES."""
    return max(1, min(MAX_PROCESSES, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1))


def upgrade_all(
    *, on_tenant: Callable[[str, str | None], None] = lambda slug, problem: None, parallel: int = 1
) -> Upgraded:
    """Migrate the public schema where it needs it, then each tenant whose digest is not the code's.

    In between it makes in the public schema what no migration makes (apps.tenants.public_steps) and is missing.

    Eight queries and no tenant entered when nothing changed, however many tenants there are. Each tenant's digest is
    recorded when it has ended well, so a killed upgrade goes on where it was: repeat it. A tenant whose migration fails
    is left closed (not ready) and named, and the next one follows. `on_tenant` hears of each. Not inside a transaction.
    `parallel` processes with connections of their own share the tenants; threads would not do, content types are cached
    for the whole process. Raises OlderDatabase, and changes nothing, where migrations were written anew since;
    NewerDatabase, and changes no tenant, where one of ours is recorded that this code lacks.
    """
    broken: dict[str, str] = {}
    migrated = 0
    with in_public():
        refuse_older_database()
        executor = MigrationExecutor(connection)
        known = executor.loader.disk_migrations.keys()
        refuse_newer_database([PUBLIC], known=known)
        changed = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        if changed:
            call_command("migrate_schemas", shared=True, interactive=False, verbosity=0)
        changed = take_public_steps() or changed
        behind = schemas_behind()
        refuse_newer_database([schema for _slug, schema in behind], known=known)
    for slug, problem in _each(behind, min(parallel, len(behind))):
        if problem is None:
            migrated += 1
        else:
            broken[slug] = problem
            log_event(EventType.LOG, level=logging.ERROR, check="upgrade", tenant=slug, why=problem)
        on_tenant(slug, problem)
    return Upgraded(public=changed, migrated=migrated, broken=broken)


def _each(behind: Sequence[tuple[str, str]], parallel: int) -> Iterator[tuple[str, str | None]]:
    """(slug, problem) as each ends.

    What failed beside others is tried once more alone before it is called broken: two migrations may have met in a
    shared function ("tuple concurrently updated"), or the kernel may have ended a process.
    """
    again: list[tuple[str, str]] = []
    if parallel > 1:
        for slug, schema, problem in _beside_each_other(behind, parallel):
            if problem is None:
                yield slug, None
            else:
                again.append((slug, schema))
    for slug, schema in again if parallel > 1 else behind:
        yield slug, _migrate(schema)


def _beside_each_other(behind: Sequence[tuple[str, str]], parallel: int) -> Iterator[tuple[str, str, str | None]]:
    # A connection must not have two owners: a child would wait for ever for answers at an inherited one of the broker.
    connections.close_all()
    pools.reset()
    # Forked, not started anew: a start takes longer than most tenants do. They die with us: nobody migrates unseen.
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(parallel, mp_context=multiprocessing.get_context("fork"), initializer=die_with_parent)
    try:
        futures = {pool.submit(_migrate, schema): (slug, schema) for slug, schema in behind}
        for done in as_completed(futures):
            try:
                problem = done.result()
            except (
                Exception
            ) as error:  # a process died, or what it raised cannot travel: the tenant gets its second try
                problem = type(error).__name__
            yield *futures[done], problem
    finally:
        # Not waited for: what they did is recorded, and an interrupted upgrade ends at once.
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.kill()


def _migrate(schema: str) -> str | None:
    """One tenant; None when it ended well, else what went wrong, in a line."""
    try:
        with in_public():
            call_command("migrate_schemas", tenant=True, schema_name=schema, interactive=False, verbosity=0)
    except Exception as error:  # a migration may raise anything, and the others must go on
        lines = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {lines[0]}"[:300]
    return None
