"""Choose the tenants that a tick visits: where rows were written lately or become due, and the others in turn.

A visit costs a task and some queries; a thousand quiet tenants visited by every tick cost more than a machine has. So a
tick asks first, in one statement for all tenants, how many rows were ever written to the tables that owe work (counters
Postgres keeps: docs/how-it-works.md). Where that number moved within AWAKE, the tenant is visited by every
tick. When it has become quiet, its rows say once when the next of them is due (a callback's next try in hours, a lease
that expires): nothing is written there, so that stays true, and every tick visits it within DUE_FOR of that moment.
Each tenant that ever had rows is visited once in ROUND besides. The tables come from the registry (apps.jobs.work).

Nobody is visited in whose schema somebody has locked a table even for readers, or waits to: whoever asked would stand
behind that lock, and with it the work of all others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import Error
from django.utils import timezone

from apps.jobs.work import Work, registered
from apps.tenants.connection import connection
from apps.tenants.context import in_public
from apps.tenants.queries import each_ready_tenant

AWAKE = timedelta(minutes=10)
ROUND = timedelta(minutes=5)
WHOLE_ROUND = timedelta(hours=1)  # a multiple of ROUND
DUE_FOR = timedelta(seconds=90)  # the slowest tick comes once a minute
MOST = 50  # tenants whose rows are read in one statement: some 400 locks

# `seen` is the tenant's row itself (its settings may have changed: xmin) and its counters. What moved is written down,
# so that all processes know of it; what did not is only read. Counters start anew when Postgres crashed: everybody has
# moved then, and `used` remembers who ever had rows. `stale`: quiet, and its rows have not said yet when they are due.
_ASK = """
WITH written AS MATERIALIZED (
  SELECT c.relnamespace AS of, sum(pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid)
    + pg_stat_get_tuples_deleted(c.oid))::bigint AS rows
  FROM pg_class c WHERE c.relname = ANY(%(tables)s) AND c.relkind = 'r' GROUP BY 1
), locked AS MATERIALIZED (
  SELECT DISTINCT c.relnamespace AS of FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
), seen AS MATERIALIZED (
  SELECT t.id, t.slug, t.schema_name, coalesce(w.rows, 0) AS rows, coalesce(w.rows, 0) + t.xmin::text::bigint AS mark,
    EXISTS (SELECT 1 FROM locked WHERE locked.of = n.oid) AS locked
  FROM tenants_tenant t JOIN pg_namespace n ON n.nspname = t.schema_name LEFT JOIN written w ON w.of = n.oid
  WHERE t.ready AND NOT t.suspended AND t.schema_name <> 'public'
), moved AS (
  INSERT INTO tenants_tenantactivity AS kept (tenant_id, mark, moved_at, used)
  SELECT s.id, s.mark, %(now)s, s.rows > 0 FROM seen s LEFT JOIN tenants_tenantactivity k ON k.tenant_id = s.id
  WHERE k.tenant_id IS NULL OR k.mark <> s.mark
  ON CONFLICT (tenant_id) DO UPDATE SET mark = EXCLUDED.mark, moved_at = EXCLUDED.moved_at,
    used = kept.used OR EXCLUDED.used
), answer AS (
  SELECT s.id, s.slug, s.schema_name, s.mark, s.locked,
    coalesce(k.used AND s.id %% %(whole_turns)s = %(whole_turn)s, false) AS whole,
    k.tenant_id IS NULL OR k.mark <> s.mark OR k.moved_at > %(awake)s
      OR (k.used AND s.id %% %(turns)s = %(turn)s) OR (k.due_mark = s.mark AND k.due_at <= %(now)s) AS visit,
    k.used AND k.mark = s.mark AND k.moved_at <= %(awake)s
      AND (k.due_mark IS DISTINCT FROM s.mark OR k.due_at < %(past)s) AS stale,
    CASE WHEN k.due_mark = s.mark THEN k.due_at ELSE %(past)s END AS after
  FROM seen s LEFT JOIN tenants_tenantactivity k ON k.tenant_id = s.id
)
SELECT slug, visit, stale, id, schema_name, mark, after, whole, locked FROM answer WHERE visit OR stale
"""
_STORE_DUE = """
UPDATE tenants_tenantactivity k SET due_mark = x.mark, due_at = x.due
FROM unnest(%(ids)s::bigint[], %(marks)s::bigint[], %(due)s::timestamptz[]) AS x (id, mark, due)
WHERE k.tenant_id = x.id AND k.mark = x.mark
"""
_TABLE_DUE = """
SELECT {tenant} AS tenant, min(greatest({due})) AS due FROM {table} WHERE ({pending}) AND greatest({due}) > %s
"""
_Stale = tuple[str, int, str, int, datetime]  # slug, tenant, schema, mark, and after which moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Visits:
    """Visits of a tick, by slug.

    `whole`: those of them in which all work is called, whatever is due (once in WHOLE_ROUND). `locked`: those it would
    visit if nobody had locked a table of theirs.
    """

    slugs: Sequence[str]
    whole: frozenset[str] = frozenset()
    locked: Sequence[str] = field(default=())


def each_tenant_to_visit(*, every_s: float, now: datetime | None = None) -> Sequence[str]:
    """Slugs of the ready tenants that a tick of this interval should visit now: `visits_due`."""
    return visits_due(every_s=every_s, now=now).slugs


def visits_due(*, every_s: float, now: datetime | None = None) -> Visits:
    """The ready tenants that a tick of this interval should visit now. One statement, some 0.1 ms a tenant;
    one more for each fifty that became quiet, and one that keeps what their rows said.

    Never later than ROUND, and a beat's drift, does a tenant that ever had rows get its turn; one whose row becomes due
    by the clock, at that tick; one in which something was written, or whose own row changed, at once: as soon as
    Postgres counted it, at most ten seconds after the commit. Inside a transaction, whose own writes are not counted
    yet, all ready tenants. Safe to race.
    """
    if connection.in_atomic_block:
        ready = each_ready_tenant()
        return Visits(slugs=ready, whole=frozenset(ready))
    at = now or timezone.now()
    turns = max(1, round(ROUND.total_seconds() / every_s))
    whole_turns = turns * round(WHOLE_ROUND / ROUND)
    parameters = {
        "tables": sorted({table for kind in registered() for table in kind.tables}),
        "now": at,
        "awake": at - AWAKE,
        "past": at - DUE_FOR,
        "turns": turns,
        "turn": int(at.timestamp() / every_s) % turns,
        "whole_turns": whole_turns,
        "whole_turn": int(at.timestamp() / every_s) % whole_turns,
    }
    with in_public(), connection.cursor() as cursor:
        cursor.execute(_ASK, parameters)
        rows = cursor.fetchall()
        free = [row for row in rows if not row[8]]
        stale: list[_Stale] = [(row[0], *row[3:7]) for row in free if row[2]]
        due = {slug for at_once in _batches(stale) for slug in _store_due(at_once, at)}
    return Visits(
        slugs=sorted({row[0] for row in free if row[1]} | due),
        whole=frozenset(row[0] for row in free if row[7]),
        locked=sorted(row[0] for row in rows if row[8]),
    )


def _batches(stale: Sequence[_Stale]) -> Iterable[Sequence[_Stale]]:
    return (stale[at : at + MOST] for at in range(0, len(stale), MOST))


def _store_due(stale: Sequence[_Stale], now: datetime) -> list[str]:
    """Ask quiet tenants' rows when the next is due, and write it down; who has one due by now. Two statements;
    two for each tenant where a schema is broken or goes away: it is left out, the others are not.
    """
    kinds = [kind for kind in registered() if kind.due]
    statement = " UNION ALL ".join(_next_due(row, kinds) for row in stale)
    parameters = [row[4] for row in stale for _ in kinds]
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            due = _earliest(cursor.fetchall())
            cursor.execute(
                _STORE_DUE,
                {
                    "ids": [row[1] for row in stale],
                    "marks": [row[3] for row in stale],
                    "due": [due.get(row[1]) for row in stale],
                },
            )
    except Error:
        return [] if len(stale) == 1 else [slug for row in stale for slug in _store_due([row], now)]
    return [row[0] for row in stale if (at := due.get(row[1])) is not None and at <= now]


def _earliest(rows: Iterable[tuple[int, datetime | None]]) -> dict[int, datetime]:
    earliest: dict[int, datetime] = {}
    for tenant, due in rows:
        if due is not None:
            earliest[tenant] = min(due, earliest.get(tenant, due))
    return earliest


def _next_due(row: _Stale, kinds: Sequence[Work]) -> str:
    """Per table the earliest moment, after the one already seen to, at which a row's times have all passed."""
    quote = connection.ops.quote_name
    return " UNION ALL ".join(
        _TABLE_DUE.format(
            tenant=row[1], table=f"{quote(row[2])}.{kind.table}", due=", ".join(kind.due), pending=kind.pending
        )
        for kind in kinds
    )
