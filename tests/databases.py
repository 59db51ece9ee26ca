"""A database of its own for each test process, cloned from a template that is made once per set of migrations.

Names: `ratiba_tpl_<key>` is a template, `ratiba_run_<machine>_<pid>_<random>` a clone. What a killed run left behind
is dropped by the next one: clones whose process is gone, and all but the newest templates.

All runs as the role without special rights that the documents name, which owns each of these databases; a superuser
makes and drops them, and says for a test what that role may not (`as_superuser`). With a DATABASE_URL of your own its
role does both, and needs the right for both.
"""

import fcntl
import hashlib
import os
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django_tenants.routers import TenantSyncRouter
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.audit.domain.eraser_sql import IS_ERASING, SHOULD_IGNORE, erase_function
from apps.audit.domain.personal_columns import PERSONAL
from apps.tenants import services
from apps.tenants.schema_template import migration_key
from pytest_ratiba.environment.addresses import with_settings
from ratiba_eval import local_stack

SLUGS = ("acme", "beta")
KEPT_TEMPLATES = 6
# Read before any test changes where the embedded services are.
_SUPERUSER = conninfo_to_dict(os.environ.get("DATABASE_URL", "").strip() or local_stack.postgres().superuser_url)
ROLE = str(conninfo_to_dict(local_stack.urls().database_url)["user"])  # owns the databases, and uses them
# SECURITY DEFINER: whoever made the template says it.
_AS_SUPERUSER = """
CREATE FUNCTION public.ratiba_tests_superuser(statement text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS
$$ BEGIN EXECUTE statement; END $$
"""
MACHINE = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]


def url_of(parameters: dict) -> str:
    """DATABASE_URL for these Django settings."""
    user = quote(parameters["USER"], safe="")
    password = f":{quote(parameters['PASSWORD'], safe='')}" if parameters.get("PASSWORD") else ""
    port = f":{parameters['PORT']}" if parameters.get("PORT") else ""
    host = str(parameters["HOST"])
    if host.startswith("/"):
        return f"postgresql://{user}{password}@{port}/{parameters['NAME']}?host={quote(host, safe='')}"
    return f"postgresql://{user}{password}@{host}{port}/{parameters['NAME']}"


def template_key() -> str:
    """Changes with every migration of any app, and with this file."""
    digest = hashlib.sha256(migration_key().encode() + Path(__file__).read_bytes())
    digest.update((IS_ERASING + erase_function(PERSONAL) + SHOULD_IGNORE).encode())
    for config in sorted(apps.get_app_configs(), key=lambda one: one.name):
        if TenantSyncRouter().app_in_list(config.label, settings.SHARED_APPS):
            for path in sorted((Path(config.path) / "migrations").glob("[0-9]*.py")):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def server(name: str = "postgres") -> psycopg.Connection:
    """A connection of whoever may make and drop databases, to the server's own one or to the one of this name."""
    return psycopg.connect(make_conninfo(**_SUPERUSER | {"dbname": name}), autocommit=True)


@contextmanager
def own_database(prefix: str) -> Iterator[str]:
    """The address of an empty database of the role's own; dropped at the end. Django is left out of it."""
    address = local_stack.ensure().database_url
    name = f"{prefix}_{uuid.uuid4().hex[:12]}"
    with server() as on:
        on.execute(f'CREATE DATABASE "{name}" OWNER "{ROLE}"')
        on.execute(f'ALTER DATABASE "{name}" SET synchronous_commit TO off')
    try:
        yield with_settings(make_conninfo(**conninfo_to_dict(address) | {"dbname": name}), {}, application_name=prefix)
    finally:
        with server() as on:
            on.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def as_superuser(statement: str) -> None:
    """Have the superuser say this within Django's transaction. Whoever runs the product has no such function."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT public.ratiba_tests_superuser(%s)", [statement])


def use(name: str) -> None:
    """Point Django at this database."""
    connection.close()
    connection.settings_dict["NAME"] = name


@dataclass
class TestDatabase:
    """This process's own database."""

    __test__ = False
    name: str
    base: str
    keep: bool = False

    @classmethod
    def make(cls, worker: str) -> "TestDatabase":
        local_stack.ensure()
        base = str(connection.settings_dict["NAME"])
        made = cls(name=f"ratiba_run_{MACHINE}_{os.getpid()}_{worker}_{uuid.uuid4().hex[:6]}", base=base)
        sweep()
        made.reset()
        return made

    def reset(self) -> None:
        """A new clone in place of whatever tests have committed."""
        connection.close()
        for attempt in range(5):
            template = ensure_template(self.base)
            try:
                with server() as on:
                    on.execute(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')
                    on.execute(f'CREATE DATABASE "{self.name}" OWNER "{ROLE}" TEMPLATE "{template}" STRATEGY wal_log')
                    on.execute(f'ALTER DATABASE "{self.name}" SET synchronous_commit TO off')  # nobody waits for a disk
                break
            except psycopg.Error:  # somebody else swept or is reading the template at this moment
                if attempt == 4:
                    raise
                time.sleep(0.3)
        use(self.name)
        connection.set_schema_to_public()

    def drop(self) -> None:
        use(self.base)
        if not self.keep:
            with server() as on:
                on.execute(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')


def ensure_template(base: str) -> str:
    """The template's name; built where it is missing, by one process at a time."""
    name = f"ratiba_tpl_{template_key()}"
    folder = Path(settings.STATE_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "test-template.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with server() as on:
            done = on.execute("SELECT datistemplate FROM pg_database WHERE datname = %s", [name]).fetchone()
            if done and done[0]:
                return name
            on.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            on.execute(f'CREATE DATABASE "{name}" OWNER "{ROLE}"')
        use(name)
        try:
            call_command("migrate_schemas", shared=True, interactive=False, verbosity=0)
            connection.set_schema_to_public()
            with connection.cursor() as cursor:  # tests may ignore a trigger (apps.audit.domain.eraser_sql)
                cursor.execute("CREATE FUNCTION public.ratiba_tests() RETURNS void LANGUAGE sql AS ''")
            for slug in SLUGS:
                services.add_tenant(slug=slug, vertical="spa")
        finally:
            use(base)
        with server(name) as on:
            on.execute(_AS_SUPERUSER)
        with server() as on:
            on.execute(f'ALTER DATABASE "{name}" IS_TEMPLATE true')
    return name


def sweep() -> None:
    """Drop clones of processes that are gone and templates of migrations that are."""
    with server() as on:
        names = [row[0] for row in on.execute("SELECT datname FROM pg_database ORDER BY oid DESC").fetchall()]
        templates = [name for name in names if name.startswith("ratiba_tpl_")]
        for name in names:
            if name.startswith(f"ratiba_run_{MACHINE}_") and not _alive(int(name.split("_")[3])):
                _drop(on, name)
        for name in templates[KEPT_TEMPLATES:]:
            _drop(on, name, template=True)


def _drop(on: psycopg.Connection, name: str, *, template: bool = False) -> None:
    try:
        if template:
            on.execute(f'ALTER DATABASE "{name}" IS_TEMPLATE false')
        on.execute(f'DROP DATABASE IF EXISTS "{name}"')
    except psycopg.Error:
        pass  # in use, or another process was first


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
