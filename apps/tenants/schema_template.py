"""A tenant's schema in one round trip: the dump of a migrated template, replayed under another name.

Migrating a fresh schema takes about a second, cloning it breaks constraint names and sequences; replaying the text of
`pg_dump` gives the same schema to the last byte in some 50 ms. The text is cached in a file, under a key made of the
contents of all tenant migrations, the versions of what writes them, and the server's version.
"""

import fcntl
import hashlib
import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django_tenants.routers import TenantSyncRouter

from apps.core.errors import RatibaError
from apps.core.portable.schema_script import script_of
from apps.tenants.connection import connection
from apps.tenants.domain.naming import SCHEMA, is_ephemeral

PLACEHOLDER = "zz_ratiba_template_zz"
_BUILD_LOCK = 724_501  # any number, the same for all: advisory locks of one database
_FORMAT = "6"  # raise it when the text is made differently, or what a migration leaves behind (roles) changes
# No search for functions' tables, and no plan for parallel workers at each index of an empty table.
_SETTINGS = """SET LOCAL search_path = ''; SET LOCAL check_function_bodies = off;
SET LOCAL max_parallel_maintenance_workers = 0;"""
# What a scenario made for itself need not survive a crash of the server half a second later: its commit does not wait
# till 1.5 MB of log are on the disk. Whatever is committed in it afterwards takes its making along.
_FOR_A_SCENARIO = "SET LOCAL synchronous_commit = off;"
_PACKAGES = ("Django", "django-pgtrigger", "django-tenants")


class TemplateError(RatibaError):
    """The template schema cannot be dumped: no pg_dump, or one older than the server."""

    code = "schema_template"


@lru_cache(maxsize=1)
def migration_key() -> str:
    """A digest of every tenant migration's content, in order. The same in every process that runs the same code.

    The land register's too: its tables are public, but each tenant's schema has their content types and permissions.
    """
    digest = hashlib.sha256(_FORMAT.encode())
    for package in _PACKAGES:
        digest.update(f"{package}={version(package)}\n".encode())
    in_a_tenant, listed = TenantSyncRouter().app_in_list, (*settings.TENANT_APPS, "apps.tenants")
    for config in apps.get_app_configs():
        if not in_a_tenant(config.label, listed):
            continue
        for path in sorted((Path(config.path) / "migrations").glob("[0-9]*.py")):
            digest.update(f"{config.name}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:40]


def replay(schema: str) -> None:
    """Make this schema, with every table, trigger, migration record and content type a migrated one has.

    All or nothing (one transaction, or part of the caller's, which then cannot go on). One round trip once the template
    is cached; building it takes a few seconds, once per set of migrations, one builder at a time. Raises TemplateError;
    ProgrammingError where the schema exists.
    """
    if not SCHEMA.fullmatch(schema):
        raise ValueError(f"{schema!r} is not a tenant's schema")
    script = template_sql().replace(PLACEHOLDER, schema)
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        before = _SETTINGS + (_FOR_A_SCENARIO if is_ephemeral(schema) else "")
        # no parameters: psycopg then sends the whole script as one simple query
        cursor.execute(f"{before}\n{script}")


def template_sql() -> str:
    """The script, from memory, the file or a fresh build. Raises TemplateError."""
    server = _server_version()
    key = (migration_key(), server)
    if key not in _scripts:
        path = _cache_file(server)
        if not path.exists():
            with _one_builder(path):
                if not path.exists():
                    _store(path, _build())
        _scripts[key] = path.read_text(encoding="utf-8")
    return _scripts[key]


_scripts: dict[tuple[str, int], str] = {}


def _server_version() -> int:
    connection.ensure_connection()
    return int(connection.pg_version)


def _cache_file(server: int) -> Path:
    return Path(settings.STATE_DIR) / "schema" / f"{migration_key()}-{server}.sql"


def _store(path: Path, script: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(script, encoding="utf-8")
    draft.replace(path)
    for old in sorted(path.parent.glob("*.sql"), key=lambda one: one.stat().st_mtime, reverse=True)[20:]:
        old.unlink(missing_ok=True)


@contextmanager
def _one_builder(path: Path) -> Iterator[None]:
    """One build at a time, on this machine by a file and against this database by an advisory lock.

    The advisory lock has its own connection: `migrate` closes the default one, which would give the lock back half-way.
    Concurrent migrations would meet in pgtrigger's shared function ("tuple concurrently updated").
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.parent / "build.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with psycopg.connect(**_connection_parameters(), autocommit=True) as own:
            own.execute("SELECT pg_advisory_lock(%s)", [_BUILD_LOCK])
            yield


def _connection_parameters() -> dict[str, Any]:
    wanted = ("host", "port", "user", "password", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey")
    params = connection.get_connection_params()
    return {name: params[name] for name in wanted if params.get(name)}


def _build() -> str:
    """Migrate a scratch schema, dump it, drop it. Must not run inside a transaction (migrate closes the connection)."""
    if connection.in_atomic_block:
        return _build_elsewhere()
    scratch = f"test_tenant_template_{uuid.uuid4().hex[:12]}"
    previous = connection.tenant
    connection.set_schema_to_public()
    try:
        with connection.cursor() as cursor:
            cursor.execute(f'CREATE SCHEMA "{scratch}"')
        call_command("migrate_schemas", tenant=True, schema_name=scratch, interactive=False, verbosity=0)
        return script_of(dump(scratch).replace(scratch, PLACEHOLDER))
    finally:
        connection.set_schema_to_public()
        with connection.cursor() as cursor:
            cursor.execute(f'DROP SCHEMA IF EXISTS "{scratch}" CASCADE')
        connection.set_tenant(previous)


def _build_elsewhere() -> str:
    """Build the template on a connection of another thread, for a caller that is inside a transaction."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - once per set of migrations, if ever

    def build_and_close() -> str:
        try:
            return _build()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(build_and_close).result()


def dump(schema: str) -> str:
    """The output of pg_dump for one schema of the current database. Raises TemplateError."""
    parameters = _connection_parameters()
    program = str(settings.PG_DUMP("pg_dump") if callable(settings.PG_DUMP) else settings.PG_DUMP)
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE"}
    names |= {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY"}
    environment = {**os.environ, **{names[key]: str(value) for key, value in parameters.items()}}
    options = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=1000"]
    try:
        done = subprocess.run(
            [program, "-n", schema, *options], env=environment, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise TemplateError(f"pg_dump cannot be run: {error}. Set PG_DUMP to one as new as the server") from error
    if done.returncode:
        raise TemplateError(f"pg_dump failed: {done.stderr.strip()[-500:]}. PG_DUMP must be as new as the server")
    return done.stdout
