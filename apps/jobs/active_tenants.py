"""Which tenants a tick has reason to visit: those in which anything was written lately, and the others in turn.

A visit costs a task and some queries; a thousand quiet tenants visited by every tick cost more than a machine has. So a
tick asks first, in one statement for all tenants, how many rows were ever written to the tables that owe work (counters
Postgres keeps, as /metrics does: docs/adr/0053). Where that number moved within AWAKE, the tenant is visited by every
tick. The rest has nothing that could become due but by the clock alone (a callback's next try in hours, a month's new
budget): each of them is visited once in ROUND.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from apps.tenants.connection import connection
from apps.tenants.context import in_public
from apps.tenants.queries import each_ready_tenant

AWAKE = timedelta(minutes=10)  # longer than any delay that must be kept to the second: leases, quick retries
ROUND = timedelta(minutes=5)
# What owes work, and what may set it free again (a budget, a key). By name: the rooms that own them stand above.
TABLES = (
    "runs_testrun", "runs_conversation", "evaluations_evaluation", "evaluations_judgement", "improvement_analysis",
    "calibration_calibration", "checks_checkjob", "api_callback", "api_webhookkey", "budgets_budget",
    "catalog_modelprovider",
)  # fmt: skip

# `seen` is the tenant's row itself (its settings may have changed: xmin) and its counters. What moved is written down,
# so that all processes know of it; what did not is only read. Counters start anew when Postgres crashed: everybody has
# moved then, and `used` remembers who ever had rows.
_ASK = """
WITH written AS MATERIALIZED (
  SELECT c.relnamespace AS of, sum(pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid)
    + pg_stat_get_tuples_deleted(c.oid))::bigint AS rows
  FROM pg_class c WHERE c.relname = ANY(%(tables)s) AND c.relkind = 'r' GROUP BY 1
), seen AS MATERIALIZED (
  SELECT t.id, t.slug, coalesce(w.rows, 0) AS rows, coalesce(w.rows, 0) + t.xmin::text::bigint AS mark
  FROM tenants_tenant t JOIN pg_namespace n ON n.nspname = t.schema_name LEFT JOIN written w ON w.of = n.oid
  WHERE t.ready AND NOT t.suspended AND t.schema_name <> 'public'
), moved AS (
  INSERT INTO tenants_tenantactivity AS kept (tenant_id, mark, moved_at, used)
  SELECT s.id, s.mark, %(now)s, s.rows > 0 FROM seen s LEFT JOIN tenants_tenantactivity k ON k.tenant_id = s.id
  WHERE k.tenant_id IS NULL OR k.mark <> s.mark
  ON CONFLICT (tenant_id) DO UPDATE SET mark = EXCLUDED.mark, moved_at = EXCLUDED.moved_at,
    used = kept.used OR EXCLUDED.used
)
SELECT s.slug FROM seen s LEFT JOIN tenants_tenantactivity k ON k.tenant_id = s.id
WHERE k.tenant_id IS NULL OR k.mark <> s.mark OR k.moved_at > %(awake)s
  OR (k.used AND s.id %% %(turns)s = %(turn)s)
ORDER BY s.slug
"""


def each_tenant_to_visit(*, every_s: float, now: datetime | None = None) -> Sequence[str]:
    """Slugs of the ready tenants that a tick of this interval should visit now. One statement, some 0.1 ms a tenant.

    Never later than ROUND, and a beat's drift, does a tenant that ever had rows get its turn; one in which something
    was written, or whose own row changed, at once: as soon as Postgres counted it, at most ten seconds after the
    commit. Inside a transaction, whose own writes are not counted yet, all ready tenants. Safe to race.
    """
    if connection.in_atomic_block:
        return each_ready_tenant()
    at = now or timezone.now()
    turns = max(1, round(ROUND.total_seconds() / every_s))
    asked = {
        "tables": list(TABLES),
        "now": at,
        "awake": at - AWAKE,
        "turns": turns,
        "turn": int(at.timestamp() / every_s) % turns,
    }
    with in_public(), connection.cursor() as cursor:
        cursor.execute(_ASK, asked)
        return [row[0] for row in cursor.fetchall()]
