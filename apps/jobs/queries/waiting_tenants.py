"""Which other tenant waits for a worker: its work is due, and none of its lanes is open anywhere.

A lane asks when its turn is over, so that one tenant's thousand conversations never keep another's four waiting.
"""

import random
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import UTC, datetime
from zlib import crc32

from django.db import connection

from apps.jobs.active_tenants import each_tenant_to_visit
from apps.jobs.work import Work, registered
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import schema_for

TICK_S = 15.0
MOST = 200  # tenants looked at in one statement
_EVER = datetime(9999, 1, 1, tzinfo=UTC)

# Of this database: another one of the server may have schemas of the same names.
_LANES = """
WITH lanes AS MATERIALIZED (SELECT l.classid::bigint AS key FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
"""
_PART = """
SELECT '{work}' AS work, {place} AS place
WHERE NOT EXISTS (SELECT 1 FROM lanes WHERE key = {key})
  AND EXISTS (SELECT 1 FROM ({waiting}) w WHERE w.since <= %(before)s)
"""


def lane_key(schema: str, lane_kind: str) -> int:
    """The first number of the advisory locks of a tenant's lanes (the second is the lane's own)."""
    return crc32(f"{schema}:{lane_kind}".encode()) - 2**31


def another_tenant_waits(*, now: datetime) -> bool:
    """Whether some other tenant has work due and no lane open for it. Two statements, some 0.2 ms a tenant that moved
    lately; nothing is written but what a tick writes too."""
    own = current_schema()
    slugs = [slug for slug in each_tenant_to_visit(every_s=TICK_S) if schema_for(slug) != own]
    kinds = [kind for kind in registered() if kind.slots]
    return _first(slugs, kinds, {"now": now, "before": _EVER}) is not None


def waiting_work(
    *,
    kinds: Sequence[Work],
    now: datetime,
    besides: Container[tuple[str, str]] = frozenset(),
    before: datetime | None = None,
    shuffle: Callable[[list[str]], None] = random.shuffle,
) -> tuple[str, str] | None:
    """Some tenant with work of these kinds due and no lane open for it, and which kind it is; None where nobody waits.
    `besides`: (tenant, kind) not to be looked at; `before`: only what waits since then. Two statements, as above.
    Processes that ask at the same moment are told of different tenants, mostly."""
    slugs = list(each_tenant_to_visit(every_s=TICK_S))
    shuffle(slugs)
    return _first(slugs, kinds, {"now": now, "before": before or _EVER}, besides)


def _first(
    slugs: Sequence[str],
    kinds: Sequence[Work],
    times: Mapping[str, datetime],
    besides: Container[tuple[str, str]] = frozenset(),
) -> tuple[str, str] | None:
    for at in range(0, len(slugs), MOST):
        if (found := _waits(slugs[at : at + MOST], kinds, times, besides)) is not None:
            return found
    return None


def _waits(
    slugs: Sequence[str], kinds: Sequence[Work], times: Mapping[str, datetime], besides: Container[tuple[str, str]]
) -> tuple[str, str] | None:
    parts = []
    for place, slug in enumerate(slugs):
        schema = schema_for(slug)
        quoted = connection.ops.quote_name(schema)
        for kind in kinds:
            if (slug, kind.name) in besides:
                continue
            key = lane_key(schema, kind.slots or kind.name) % 2**32
            parts.append(_PART.format(work=kind.name, place=place, key=key, waiting=kind.waiting(quoted)))
    if not parts:
        return None
    with connection.cursor() as cursor:
        cursor.execute(f"{_LANES}{' UNION ALL '.join(parts)} LIMIT 1", times)
        row = cursor.fetchone()
    return (slugs[row[1]], row[0]) if row else None
