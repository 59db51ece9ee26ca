"""Find the kinds of work that a tick calls workers for, and the tenants.

A row is due there, or `Work.finds` has one.
"""

import logging
import random
from collections.abc import Sequence
from datetime import datetime

from django.db import Error, connection

from apps.core.events import EventType, log_event
from apps.jobs.active_tenants import Visits
from apps.jobs.work import Work
from apps.tenants.domain.naming import schema_for
from apps.tenants.lock_waits import lock_timed_out

TOGETHER = 50  # tenants asked in one statement: some 2,500 locks
_PART = "SELECT {place} AS place, '{work}' AS work WHERE {calls}"


def calls_due(visits: Visits, *, kinds: Sequence[Work], now: datetime) -> dict[str, list[str]]:
    """Return by kind the tenants to which its workers are called.

    Something is due there, or the visit is whole. The order is random, so that those whose calls expire are not always
    the same. Names locked tenants in the log; costs as `due_work`.
    """
    for slug in visits.locked:
        log_event(EventType.TENANT_LOCKED, level=logging.WARNING, tenant=slug)
    slugs = random.sample(visits.slugs, len(visits.slugs))
    due = due_work(slugs=[slug for slug in slugs if slug not in visits.whole], kinds=kinds, now=now)
    return {kind.name: [slug for slug in slugs if slug in visits.whole or (slug, kind.name) in due] for kind in kinds}


def due_work(*, slugs: Sequence[str], kinds: Sequence[Work], now: datetime) -> set[tuple[str, str]]:
    """(tenant, kind) of what a worker would find to do now. One statement for each fifty tenants; of Postgres' time
    3 ms a tenant for the kinds that a tick of 5 s looks for, 15 ms for those of 15 s.

    A tenant that cannot be asked is asked alone, and hinders no other: where somebody holds a lock of its tables,
    nothing is due till the next tick; where its schema is broken or not this code's, everything is, and the workers say
    why.
    """
    due: set[tuple[str, str]] = set()
    if not kinds:
        return due
    for start in range(0, len(slugs), TOGETHER):
        some = slugs[start : start + TOGETHER]
        try:
            due |= _ask(some, kinds, now)
        except Error:
            due |= {pair for slug in some for pair in _ask_alone(slug, kinds, now)}
    return due


def _ask(slugs: Sequence[str], kinds: Sequence[Work], now: datetime) -> set[tuple[str, str]]:
    quoted = {slug: connection.ops.quote_name(schema_for(slug)) for slug in slugs}
    parts = (
        _PART.format(place=place, work=kind.name, calls=kind.calls(quoted[slug]))
        for place, slug in enumerate(slugs)
        for kind in kinds
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), {"now": now})
        return {(slugs[place], work) for place, work in cursor.fetchall()}


def _ask_alone(slug: str, kinds: Sequence[Work], now: datetime) -> set[tuple[str, str]]:
    try:
        return _ask([slug], kinds, now)
    except Error as error:
        if lock_timed_out(error):
            log_event(EventType.TENANT_LOCKED, level=logging.WARNING, tenant=slug)
            return set()
        log_event(EventType.LOG, level=logging.WARNING, check="due work", tenant=slug, why=type(error).__name__)
        return {(slug, kind.name) for kind in kinds}
