"""A dump in a database of its own, and what became of its rows once it was upgraded."""

import lzma
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.core.cache import cache
from django.db import connection
from psycopg import sql

from tests.databases import MACHINE, ROLE, server, use
from tests.tenants.dumps.make import MARK, SECTIONS

COPY = "before_upgrade"
# Rows of every table as the old code wrote them; a schema and its table are one name there.
_COPY = """
DO $$ DECLARE one record; BEGIN
  CREATE SCHEMA before_upgrade;
  FOR one IN SELECT schemaname s, tablename t FROM pg_tables
    WHERE schemaname = 'public' OR starts_with(schemaname, 't_')
  LOOP
    EXECUTE format('CREATE TABLE before_upgrade.%I (LIKE %I.%I)', one.s || '.' || one.t, one.s, one.t);
    EXECUTE format('INSERT INTO before_upgrade.%I SELECT * FROM %I.%I', one.s || '.' || one.t, one.s, one.t);
  END LOOP;
END $$
"""
_COLUMNS = """
SELECT CASE WHEN table_schema = 'before_upgrade' THEN table_name ELSE table_schema || '.' || table_name END,
  column_name, data_type, is_nullable = 'YES', column_default IS NOT NULL OR is_identity = 'YES',
  coalesce(character_maximum_length, 2147483647)
FROM information_schema.columns WHERE (table_schema = 'before_upgrade') = %s ORDER BY 1, ordinal_position
"""


def section(dump: Path, name: str) -> str:
    """One of make.SECTIONS."""
    _head, _mark, rest = lzma.decompress(dump.read_bytes()).decode().partition(MARK.format(name))
    following = SECTIONS[SECTIONS.index(name) + 1 :]
    return rest.partition(MARK.format(following[0]))[0] if following else rest


def own_connection() -> psycopg.Connection:
    """To Django's database of this moment, beside Django's own connection."""
    given = connection.get_connection_params()
    named = {name: given[name] for name in ("host", "port", "user", "password", "dbname") if given.get(name)}
    return psycopg.connect(**named)


@contextmanager
def restored(dump: Path) -> Iterator[None]:
    """Django's database is this dump's within the block. Half a second."""
    base = str(connection.settings_dict["NAME"])
    name = f"ratiba_run_{MACHINE}_{os.getpid()}_dump_{uuid.uuid4().hex[:6]}"  # swept like any other of a killed run
    with server() as on:
        on.execute(
            sql.SQL("CREATE DATABASE {} OWNER {} STRATEGY wal_log").format(sql.Identifier(name), sql.Identifier(ROLE))
        )
    use(name)
    cache.clear()
    try:
        with own_connection() as on:
            for part in SECTIONS:
                on.execute(section(dump, part).encode())
            on.execute(_COPY)
        yield
    finally:
        connection.set_schema_to_public()
        use(base)
        cache.clear()
        with server() as on:
            on.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def changed_rows(allowed: dict[str, set[str]]) -> dict[str, int]:
    """Tables of which a row is gone or says something else in the columns it had; `allowed` are columns that may."""
    found = {}
    with own_connection() as on:
        for table, names in _columns_before(on).items():
            kept = [sql.Identifier(name) for name in names if name not in allowed.get(table.partition(".")[2], set())]
            query = sql.SQL("SELECT count(*) FROM (SELECT {} FROM {} EXCEPT ALL SELECT {} FROM {}) gone").format(
                sql.SQL(", ").join(kept), sql.Identifier(COPY, table),
                sql.SQL(", ").join(kept), sql.Identifier(*table.split(".")),
            )  # fmt: skip
            if gone := on.execute(query).fetchone()[0]:
                found[table] = gone
    return found


def _columns_before(on: psycopg.Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table, column, *_ in on.execute(_COLUMNS, [True]).fetchall():
        found.setdefault(table, []).append(column)
    return found


def columns_in_the_way() -> list[str]:
    """What a statement of the old code would meet: a column it does not know and cannot leave out, one that is gone,
    one that takes less than before."""
    with own_connection() as on:
        before = {(row[0], row[1]): row[2:] for row in on.execute(_COLUMNS, [True]).fetchall()}
        now = {(row[0], row[1]): row[2:] for row in on.execute(_COLUMNS, [False]).fetchall()}
    tables = {table for table, _ in before}
    wrong = [f"{table}.{name} is gone" for table, name in before if (table, name) not in now]
    for (table, name), (kind, nullable, has_default, longest) in now.items():
        if table not in tables:
            continue
        if (table, name) not in before:
            if not nullable and not has_default:
                wrong.append(f"{table}.{name} is new, and has no default in the database (db_default)")
            continue
        old_kind, was_nullable, _had_default, was_longest = before[table, name]
        if kind != old_kind or longest < was_longest or (was_nullable and not nullable):
            wrong.append(f"{table}.{name} takes less than before")
    return wrong


def insert_as_before(dump: Path) -> int:
    """Empty the upgraded tables and insert what the old code wrote, naming the columns it named; the rows of the demo
    tenant's turns. Rolled back. Triggers and foreign keys are off: they say in which order rows come."""
    with server(str(connection.settings_dict["NAME"])) as on, on.transaction(force_rollback=True):
        on.execute("SET LOCAL session_replication_role = replica")
        tables = [sql.Identifier(*table.split(".")) for table in _columns_before(on)]
        on.execute(sql.SQL("TRUNCATE {} CASCADE").format(sql.SQL(", ").join(tables)))
        on.execute(section(dump, "data").encode())
        rows = on.execute("SELECT count(*) FROM t_demo.runs_turn").fetchone()[0]
    return int(rows)
