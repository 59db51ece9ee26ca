"""Find the traces of a test outside its schema: connections that are still open, and rows in `public`."""

import contextlib
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

_LARGE = 8 * 1024 * 1024  # a table above this is compared by its size only; reading it would cost more than the test
_PATIENCE_S = 1.0  # a backend needs a moment to go after its client closed
_TABLES = """
SELECT c.oid::regclass::text, c.relkind::text, pg_relation_size(c.oid)
FROM pg_class c WHERE c.relnamespace = to_regnamespace('public') AND c.relkind IN ('r', 'p', 'S', 'v', 'm', 'f')
"""
_OPEN = """
SELECT a.pid, coalesce(a.state, ''), a.application_name, left(a.query, 120) FROM pg_stat_activity a
WHERE a.pid <> pg_backend_pid() AND a.backend_type = 'client backend' AND a.datname = current_database()
AND (a.application_name = %(schema)s OR EXISTS (
    SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    WHERE l.pid = a.pid AND c.relnamespace = to_regnamespace(%(schema)s)))
"""


class OpenConnection(NamedTuple):
    """A connection into the schema that somebody did not close."""

    pid: int
    state: str
    application_name: str
    query: str


def public_rows(connection: Any) -> dict[str, tuple[int, int]]:
    """Return for each table of `public` its number of rows and a digest of its writers. Two queries.

    A table above 8 MB, or one we may not read, has its size and 0.
    """
    import psycopg

    tables = connection.execute(_TABLES).fetchall()
    found = {name: (size, 0) for name, kind, size in tables}
    small = [name for name, kind, size in tables if kind in "rm" and size <= _LARGE]
    if small:
        # The names come from the server, quoted by it.
        one = "SELECT {0}, count(*), coalesce(sum(hashtext(xmin::text)::bigint), 0)::bigint FROM {1}"
        query = " UNION ALL ".join(one.format(_literal(name), name) for name in small)
        with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
            found |= {name: (rows, digest) for name, rows, digest in connection.execute(query.encode()).fetchall()}
    return found


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def changes(before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """Describe the change of each table that differs, in words."""
    changed: dict[str, str] = {}
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None:
            changed[name] = "was created"
        elif new is None:
            changed[name] = "was dropped"
        elif old != new:
            changed[name] = f"rows {old[0]} -> {new[0]}" if old[0] != new[0] else "rows were changed"
    return changed


def still_open(connection: Any, schema: str) -> list[OpenConnection]:
    """Connections into the schema, other than this one. Waits up to a second for those that are just closing."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        found = [OpenConnection(*row) for row in connection.execute(_OPEN, {"schema": schema}).fetchall()]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.003)


def end_connections(connection: Any, found: list[OpenConnection]) -> None:
    """Close them from the server's side, so that the schema can be dropped."""
    for one in found:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", [one.pid])
