"""Measure what waits in each tenant and how its calls went, for /metrics and the health page.

Reading one tenant costs some 3 ms, nearly all of it Postgres opening six tables and their indexes. What helps is not to
read: two catalog columns, asked for all tenants in one statement, say that a tenant's tables are empty, or that nothing
was written since they were last read. What was read of a quiet tenant is kept by the process, and in a table for the
processes to come. Those that must be read are read many in a statement.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import Error, connection, transaction

from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.jobs.work import registered
from apps.tenants.context import in_public, in_tenant
from apps.tenants.domain.naming import schema_for, slug_for
from apps.tenants.queries import each_ready_tenant

# What is told of a tenant besides its waiting work; the tables of that work come from the registry.
_TABLES = (
    "runs_conversation",
    "evaluations_judgement",
    "jobs_outbounddelivery",
    "budgets_modelcall",
)

# One statement a tenant, by the partial indexes of what is pending. `open` is whether anything could come to wait by
# the clock alone.
_TENANT = """
SELECT json_build_object(
  'work', json_build_object({work}),
  'open', {open},
  'judgements', (SELECT json_object_agg(status, n) FROM
    (SELECT status, count(*) AS n FROM {schema}.evaluations_judgement GROUP BY status) x),
  'calls', (SELECT json_agg(json_build_array(purpose, outcome, n, seconds, usd)) FROM
    (SELECT purpose, outcome, count(*) AS n, sum(latency_ms) / 1000.0 AS seconds, coalesce(sum(cost_usd), 0) AS usd
     FROM {schema}.budgets_modelcall
     WHERE created_at >= %(now)s::timestamptz - interval '1 hour' AND NOT cached GROUP BY 1, 2) x),
  'callbacks', (SELECT count(*) FROM {schema}.jobs_outbounddelivery WHERE kind = 'callback' AND status = 'pending'),
  'stuck', (SELECT count(*) FROM {schema}.jobs_outbounddelivery
    WHERE kind = 'callback' AND status IN ('failed', 'gone', 'refused')))::text
"""
_WORK = "'{name}', (SELECT json_build_array(count(*), min(since)) FROM ({waiting}) w)"
# Counters of what was ever written, kept by Postgres; a table that was made anew has another oid, and counters that
# were lost in a crash another beginning. They come a second or so after the commit. A size waits for who has locked its
# table: such a schema is not complete here, and is read alone.
_WRITTEN = """
SELECT n.nspname, count(*), sum(pg_relation_size(c.oid))::bigint, concat_ws(' ', count(*),
  sum(pg_relation_size(c.oid)), max(c.oid::bigint), sum(pg_stat_get_tuples_inserted(c.oid)
  + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid)),
  extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = ANY(%s) AND c.relkind = 'r' AND c.oid NOT IN (SELECT l.relation FROM pg_locks l
  WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.pid <> pg_backend_pid()) GROUP BY 1
"""
_KEPT = """
SELECT t.schema_name, f.mark, f.figures::text FROM tenants_tenantmetrics f JOIN tenants_tenant t ON t.id = f.tenant_id
WHERE t.schema_name = ANY(%s)
"""
_KEEP = """
INSERT INTO tenants_tenantmetrics (tenant_id, mark, figures)
SELECT t.id, x.mark, x.figures::jsonb FROM unnest(%s::text[], %s::text[], %s::text[]) AS x (schema, mark, figures)
JOIN tenants_tenant t ON t.schema_name = x.schema ORDER BY t.id
ON CONFLICT (tenant_id) DO UPDATE SET mark = EXCLUDED.mark, figures = EXCLUDED.figures
"""
_NO_LONG_WAIT = "SET LOCAL lock_timeout = '2s'"  # a tenant whose tables somebody has locked hides nobody
_TOGETHER = 50  # tenants read by one statement: some 2,500 locks

Found = dict[str, Any]
_kept: dict[tuple[str, str], tuple[str, Found]] = {}  # by database and schema: the mark, and what was read at it


def figures_of_tenants(*, now: datetime) -> Iterator[tuple[str, Found | None]]:
    """(slug, figures) of each ready tenant; None where its schema is broken or went away: the others still are shown.

    Two statements where nothing changed; two more for those this process meets first; and one, in a transaction that
    waits 2 s for a lock at most, for each fifty in which anything is open, was called in the last hour, or was written
    since somebody last read it. Measured with 1,000
    tenants: docs/proofs.md.
    """
    with in_public():
        slugs = each_ready_tenant()
        # A transaction's own writes are not counted yet: within one, everything is read.
        marks, empty = ({}, set()) if connection.in_atomic_block else _marks()
    schemas = {slug: schema_for(slug) for slug in slugs}
    known = _known({schema: marks[schema] for schema in schemas.values() if schema in marks and schema not in empty})
    figures_by_tenant: dict[str, Found | None] = {**dict.fromkeys(empty, _nothing()), **known}
    unread = [schema for schema in schemas.values() if schema not in figures_by_tenant]
    figures_by_tenant |= _read([schema for schema in unread if schema in marks], now)
    figures_by_tenant |= {schema: _of_tenant(schema, now) for schema in unread if schema not in figures_by_tenant}
    _keep(
        {schema: one for schema in unread if schema in marks and (one := figures_by_tenant[schema]) is not None}, marks
    )
    for slug in slugs:
        yield slug, figures_by_tenant[schemas[slug]]


def _marks() -> tuple[dict[str, str], set[str]]:
    """Return what each complete schema's counters come to, and which schemas' tables are empty."""
    tables, shape = _tables(), _shape()
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN, [tables])
        rows = [row for row in cursor.fetchall() if row[1] == len(tables)]
    return {row[0]: f"{shape} {row[3]}" for row in rows}, {row[0] for row in rows if row[2] == 0}


def _known(marks: Mapping[str, str]) -> dict[str, Found]:
    """Figures kept at these very marks, by this process or by another one."""
    database = str(connection.settings_dict["NAME"])
    for gone in [key for key in _kept if key[0] == database and key[1] not in marks]:
        _kept.pop(gone)
    known = {
        schema: cached[1]
        for schema, mark in marks.items()
        if (cached := _kept.get((database, schema))) is not None and cached[0] == mark
    }
    missing = [schema for schema in marks if schema not in known]
    if missing:
        with in_public(), connection.cursor() as cursor:
            cursor.execute(_KEPT, [missing])
            for schema, mark, figures in cursor.fetchall():
                if mark == marks[schema]:
                    known[schema] = json.loads(figures)
                    _kept[database, schema] = (mark, known[schema])
    return known


def _keep(read: Mapping[str, Found], marks: Mapping[str, str]) -> None:
    """Keep the figures that change by nobody's clock, at the marks asked for before they were read."""
    quiet = {schema: one for schema, one in read.items() if not one["open"] and not one["calls"]}
    if not quiet:
        return
    database = str(connection.settings_dict["NAME"])
    _kept.update({(database, schema): (marks[schema], one) for schema, one in quiet.items()})
    rows = list(quiet), [marks[schema] for schema in quiet], [json.dumps(one) for one in quiet.values()]
    try:
        with in_public(), connection.cursor() as cursor:
            cursor.execute(_KEEP, list(rows))
    except Error as error:  # two who keep the same, or a database that may only be read: the next one tries again
        log_event(EventType.LOG, level=logging.WARNING, check="metrics", why=type(error).__name__)


def _read(schemas: Sequence[str], now: datetime) -> dict[str, Found]:
    """Many in a statement; where one of them is broken, those of its statement are missing in the answer."""
    figures_read: dict[str, Found] = {}
    for start in range(0, len(schemas), _TOGETHER):
        some = schemas[start : start + _TOGETHER]
        parts = (f"SELECT '{schema}', ({_statement(schema)})" for schema in some)
        try:
            with in_public(), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(_NO_LONG_WAIT)
                cursor.execute("\nUNION ALL\n".join(parts), {"now": now})
                figures_read |= {schema: json.loads(figures) for schema, figures in cursor.fetchall()}
        except Error as error:
            log_event(EventType.LOG, level=logging.WARNING, check="metrics", why=type(error).__name__)
    return figures_read


def _statement(schema: str) -> str:
    """Return the statement that reads one schema, by every kind of work that is registered."""
    quoted = f'"{schema}"'
    work = registered()
    return _TENANT.format(
        schema=quoted,
        work=", ".join(_WORK.format(name=kind.name, waiting=kind.waiting(quoted)) for kind in work),
        open=" OR ".join(f"EXISTS ({kind.open(quoted)})" for kind in work) or "false",
    )


def _tables() -> list[str]:
    return sorted({*_TABLES, *(table for kind in registered() for table in kind.tables)})


def _shape() -> str:
    """Other code keeps other figures."""
    return hashlib.sha256(_statement("").encode()).hexdigest()[:8]


def _nothing() -> Found:
    """Return the figures of a tenant whose tables are empty."""
    work = {kind.name: [0, None] for kind in registered()}
    return {"work": work, "open": False, "judgements": None, "calls": None, "callbacks": 0, "stuck": 0}


def _of_tenant(schema: str, now: datetime) -> Found | None:
    try:
        with in_tenant(schema), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_NO_LONG_WAIT)
            cursor.execute(_statement(schema), {"now": now})
            return dict(json.loads(cursor.fetchone()[0]))
    except (Error, RatibaError) as error:
        slug = slug_for(schema)
        log_event(EventType.LOG, level=logging.WARNING, check="metrics", tenant=slug, why=type(error).__name__)
        return None
