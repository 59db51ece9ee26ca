"""What waits in each tenant and how its calls went, for /metrics and the platform's health page.

Reading one tenant costs some 5 to 10 ms, nearly all of it Postgres opening six tables and their indexes, so that one
statement over many schemas is no cheaper. What helps is not to read: two catalog columns, asked for all tenants in one
statement, say that a tenant's tables are empty, or that nothing was written since they were last read.
"""

import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import Error, connection

from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.tenants.context import in_public, in_tenant
from apps.tenants.domain.naming import schema_for
from apps.tenants.queries import each_ready_tenant

KINDS = ("conversation", "judgement", "callback")
_TABLES = (
    "runs_conversation", "runs_testrun", "evaluations_judgement", "evaluations_evaluation", "api_callback",
    "budgets_modelcall",
)  # fmt: skip

# One statement a tenant, by the partial indexes of what is owed. A row waits from when it may be done: a `not_before`
# in the future is no backlog. Paused runs and closed evaluations wait for a person, not for a worker. `open` is whether
# anything could become owed by the clock alone.
_TENANT = """
SELECT json_build_object(
  'owed', json_build_object(
    'conversation', (SELECT min(greatest(c.created_at, c.not_before)) FROM runs_conversation c
      JOIN runs_testrun r ON r.id = c.run_id AND r.status IN ('pending', 'running')
      WHERE c.status IN ('pending', 'running') AND (c.status = 'pending' OR c.lease_expires_at < %(now)s)),
    'judgement', (SELECT min(greatest(j.created_at, j.not_before)) FROM evaluations_judgement j
      JOIN evaluations_evaluation e ON e.id = j.evaluation_id AND e.status IN ('pending', 'running')
      WHERE j.status = 'pending' AND (j.lease_expires_at IS NULL OR j.lease_expires_at < %(now)s)),
    'callback', (SELECT min(not_before) FROM api_callback WHERE status = 'pending')),
  'open', EXISTS (SELECT FROM runs_conversation WHERE status IN ('pending', 'running'))
    OR EXISTS (SELECT FROM evaluations_judgement WHERE status = 'pending')
    OR EXISTS (SELECT FROM api_callback WHERE status = 'pending'),
  'judgements', (SELECT json_object_agg(status, n) FROM
    (SELECT status, count(*) AS n FROM evaluations_judgement GROUP BY status) x),
  'calls', (SELECT json_agg(json_build_array(purpose, outcome, n)) FROM
    (SELECT purpose, outcome, count(*) AS n FROM budgets_modelcall
     WHERE created_at >= %(now)s::timestamptz - interval '1 hour' GROUP BY 1, 2) x),
  'callbacks', (SELECT count(*) FROM api_callback WHERE status = 'pending'),
  'stuck', (SELECT count(*) FROM api_callback WHERE status IN ('failed', 'gone', 'refused')))::text
"""
# Counters of what was ever written, kept by Postgres; a table that was made anew has another oid. They come a second
# or so after the commit.
_WRITTEN = """
SELECT n.nspname, count(*), sum(pg_relation_size(c.oid))::bigint, max(c.oid::bigint), sum(pg_stat_get_tuples_inserted(
  c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid))::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = ANY(%s) AND c.relkind = 'r' GROUP BY 1
"""
_NOTHING: dict[str, Any] = {
    "owed": dict.fromkeys(KINDS), "open": False, "judgements": None, "calls": None, "callbacks": 0, "stuck": 0,
}  # fmt: skip

Written = tuple[int, int, int, int]  # tables found, bytes, newest table, rows ever written
_kept: dict[tuple[str, str], tuple[Written, dict[str, Any]]] = {}  # by database and schema


def figures_of_tenants(*, now: datetime) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """(slug, figures) of each ready tenant; None where its schema is broken or went away: the others still are shown.

    Two statements and then two round trips for each tenant in which anything is open, was called in the last hour or
    was written since this process last read it. Measured with 1,000 tenants: docs/operate.md.
    """
    with in_public():
        slugs = each_ready_tenant()
        written = {} if connection.in_atomic_block else _written()  # a transaction's own writes are not counted yet
    database = str(connection.settings_dict["NAME"])
    for gone in [key for key in _kept if key[0] == database and written and key[1] not in written]:
        _kept.pop(gone, None)
    for slug in slugs:
        schema = schema_for(slug)
        state = written.get(schema)
        if state is not None and state[:2] == (len(_TABLES), 0):
            yield slug, _NOTHING
            continue
        before, found = _kept.get((database, schema), (None, None))
        if state is None or state != before:
            found = _of_tenant(slug, now)
            if state is not None and found is not None and not found["open"] and not found["calls"]:
                _kept[database, schema] = (state, found)
        yield slug, found


def _written() -> dict[str, Written]:
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN, [list(_TABLES)])
        return {row[0]: (row[1], row[2], row[3], row[4]) for row in cursor.fetchall()}


def _of_tenant(slug: str, now: datetime) -> dict[str, Any] | None:
    try:
        with in_tenant(slug), connection.cursor() as cursor:
            cursor.execute(_TENANT, {"now": now})
            return dict(json.loads(cursor.fetchone()[0]))
    except (Error, RatibaError) as error:
        log_event(EventType.LOG, level=logging.WARNING, check="metrics", tenant=slug, why=type(error).__name__)
        return None
