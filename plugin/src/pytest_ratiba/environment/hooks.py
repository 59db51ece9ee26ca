"""The four places where a project says how its own tenants are made.

Each is a callable, sync or async; what it answers may be a context manager, which is then entered and left with the
scenario. A hook with a parameter named `tenant` is given the EvalTenant beside the arguments of the brief's contract.
"""

import importlib
import inspect
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_ratiba.config import Project
from pytest_ratiba.environment.errors import EvalEnvironmentError
from pytest_ratiba.environment.tenant import EvalTenant

Hook = Callable[..., Any]
_KEYS = ("migrate", "register_test_tenant", "saver_for", "build_test_orchestrator", "pg_dump")
_MIGRATE = ("command", "sql", "alembic", "django")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentHooks:
    """The hooks migrate and register a tenant, and give it a checkpoint saver and an orchestrator.
    A hook that is None does its default.

    migrate(schema_name) fills the empty schema; default: nothing.
    register_test_tenant(schema_name) answers the tenant's id; default: the schema's name.
    saver_for(tenant_id) answers the checkpoint saver; default: PostgresSaver or AsyncPostgresSaver where
    langgraph-checkpoint-postgres is installed, else None.
    build_test_orchestrator(saver, tenant_id) answers what the test is given; default: the EvalTenant.
    `pg_dump` is the program to use, where the one on PATH is older than the server.
    """

    migrate: Hook | None = None
    register_test_tenant: Hook | None = None
    saver_for: Hook | None = None
    build_test_orchestrator: Hook | None = None
    pg_dump: str | None = None


def call(hook: Hook, *arguments: Any, tenant: EvalTenant) -> Any:
    """Call the hook and return its answer.
    The hook gets `tenant=` where it has a parameter of that name."""
    try:
        wants_tenant = "tenant" in inspect.signature(hook).parameters
    except (TypeError, ValueError):
        wants_tenant = False
    return hook(*arguments, tenant=tenant) if wants_tenant else hook(*arguments)


def read_hooks(project: Project) -> EnvironmentHooks:
    """The section `environment:`. Callables are `package.module:name`; see docs/environment.md for `migrate`.

    Raises ProjectError with the pointer. Modules of the project are imported here.
    """
    section = project.mapping("environment")
    project.refuse_unknown("/environment", section, _KEYS)
    found: dict[str, Any] = {}
    for name, value in section.items():
        pointer = f"/environment/{name}"
        if name == "migrate" and isinstance(value, Mapping):
            found[name] = _migration(project, value)
        elif not isinstance(value, str) or not value:
            raise project.error(pointer, "must be a text")
        else:
            found[name] = value if name == "pg_dump" else loaded(project, value, pointer)
    return EnvironmentHooks(**found)


def loaded(project: Project, dotted: str, pointer: str) -> Any:
    """Import the value that `package.module:name` names.
    The project's `src` and its folder are searched first. Raises ProjectError."""
    module, colon, name = dotted.partition(":")
    if not colon or not module or not name:
        raise project.error(pointer, f"{dotted!r} is not of the form package.module:name")
    for folder in (project.folder / "src", project.folder):
        if folder.is_dir() and str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    try:
        value: Any = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        raise project.error(pointer, f"{dotted}: {error}") from error
    return value


def _migration(project: Project, value: Mapping[str, Any]) -> Hook:
    pointer = "/environment/migrate"
    project.refuse_unknown(pointer, value, _MIGRATE)
    if len(value) != 1:
        raise project.error(pointer, f"has one of {', '.join(_MIGRATE)}, or is package.module:name")
    ((kind, what),) = value.items()
    if kind == "sql":
        return _sql_files(project, [what] if isinstance(what, str) else what)
    if not isinstance(what, str):
        raise project.error(f"{pointer}/{kind}", "must be a text")
    python = shlex.quote(sys.executable)
    words = {
        "command": what,
        "alembic": f"{python} -m alembic -c {shlex.quote(what)} -x tenant={{schema}} upgrade head",
        "django": f"{python} -m django migrate --noinput --settings {shlex.quote(what)}",
    }[kind]
    return _command(project.folder, words)


def _sql_files(project: Project, patterns: Any) -> Hook:
    pointer = "/environment/migrate/sql"
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise project.error(pointer, "must be a file, a pattern like migrations/*.sql, or a list of them")
    files = [path for pattern in patterns for path in sorted(project.folder.glob(pattern))]
    if not files:
        raise project.error(pointer, f"no file is called {', '.join(patterns)}")

    def migrate(schema_name: str, tenant: EvalTenant) -> None:
        with tenant.connect() as connection:
            for path in files:
                try:
                    connection.execute(path.read_bytes())
                except Exception as error:
                    raise EvalEnvironmentError(f"{path}: {error}") from error

    return migrate


def _command(folder: Path, words: str) -> Hook:
    """A program of the project, with {schema} and {url} filled in. DATABASE_URL is the tenant's while it runs: what the
    environment holds under that name is never used."""

    def migrate(schema_name: str, tenant: EvalTenant) -> None:
        command = [word.replace("{schema}", schema_name).replace("{url}", tenant.url) for word in shlex.split(words)]
        own = {"DATABASE_URL": tenant.url, "RATIBA_TEST_SCHEMA": schema_name}
        paths = [str(folder), str(folder / "src"), os.environ.get("PYTHONPATH", "")]
        own["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        own["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        try:
            done = subprocess.run(
                command, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise EvalEnvironmentError(f"`migrate` does not start: {error}") from error
        if done.returncode:
            output = (done.stderr.strip() or done.stdout.strip())[-1500:]
            raise EvalEnvironmentError(f"{' '.join(command[:4])} … ended with {done.returncode}:\n{output}")

    return migrate
