"""A statement asked as cheaply as the wire allows: one round trip, planned once for each connection.

Django's cursors send `SET search_path` before a statement and have it planned anew each time. Here every table of ours
is written with its schema instead, so no setting of the connection can lead a row astray, and the server keeps the plan
(it makes a new one by itself when tables or statistics change).
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from select import POLLIN, poll
from typing import Any

import psycopg
from django.apps import apps
from django.db import connection

PREPARED_AT_MOST = 100  # statements of one connection: the least used are given up first
_PARAMETER = re.compile(r"%\((\w+)\)s")
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")


def ask_prepared(sql: str, params: Mapping[str, Any], *, schema: str) -> tuple[Any, ...] | None:
    """The first row, or None. One round trip; commits by itself outside a transaction.

    `sql` names tables without a schema and parameters as %(name)s, each cast to its type (a number may be sent as text:
    a plan is kept for each set of types). Raises Django's database errors. JSON comes as text.
    """
    connection.ensure_connection()
    wire: Any = connection.connection
    if wire.prepare_threshold is None:  # Django's own cursors never prepare, whatever stands here
        wire.prepare_threshold, wire.prepared_max = 0, PREPARED_AT_MOST
    text, names = in_schema(sql, schema)
    with connection.wrap_database_errors, psycopg.RawCursor(wire) as cursor:
        cursor.execute(text, [params[name] for name in names], prepare=True)
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


def usable_connection() -> bool:
    """Whether this thread's connection is open, or made now, and nothing has come from a server that ended it.

    No round trip. Closes one that is past its age (CONN_MAX_AGE) or was hung up on.
    """
    if connection.in_atomic_block:  # whoever opened it keeps it
        return True
    connection.close_if_unusable_or_obsolete()
    connection.ensure_connection()
    wire: Any = connection.connection
    waiting = poll()
    if not wire.closed:
        waiting.register(wire.pgconn.socket, POLLIN)
    if wire.closed or waiting.poll(0):
        connection.close()
        return False
    return True


@lru_cache(maxsize=2000)
def in_schema(sql: str, schema: str) -> tuple[bytes, tuple[str, ...]]:
    """The statement with this schema before the name of every table of ours and $1, $2 … for its parameters, and the
    parameters' names in that order."""
    if not _SCHEMA.fullmatch(schema):
        raise ValueError(f"{schema!r} is no schema of ours")
    names = tuple(dict.fromkeys(_PARAMETER.findall(sql)))
    numbered = _PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", sql)
    return _tables().sub(rf'"{schema}".\g<1>', numbered).encode(), names


@cache
def _tables() -> re.Pattern[str]:
    """Names of tables, quoted or bare, that stand without a schema."""
    names = sorted((model._meta.db_table for model in apps.get_models()), key=len, reverse=True)
    return re.compile(rf'(?<![\w".])("?\b(?:{"|".join(map(re.escape, names))})\b"?)(?![\w.])')
