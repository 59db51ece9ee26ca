"""The work that comes before a piece of work which no worker has taken up yet."""

from datetime import datetime

from django.db import connection

from apps.core.time_words import span
from apps.jobs.work import registered
from apps.tenants.context import current_schema

SHORT_S = 15.0  # a tick: whoever waits for less is told nothing
MOST = 3  # kinds that are named

_PART = "SELECT '{label}' AS label, count(*) FROM ({waiting}) w WHERE w.since < %(before)s"


def waits_before(since: datetime, *, now: datetime) -> str:
    """Say how long a request made at `since` has waited for a worker, and for which work of this tenant.

    "" while it is no longer than a tick. One statement, some 15 ms; none at first.
    """
    waited = (now - since).total_seconds()
    if waited < SHORT_S:
        return ""
    schema = connection.ops.quote_name(current_schema())
    parts = [_PART.format(label=kind.label.replace("'", "''"), waiting=kind.waiting(schema)) for kind in registered()]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), {"now": now, "before": since})
        counts = sorted(((n, label) for label, n in cursor.fetchall() if n), reverse=True)
    if not counts:
        return f"It has waited {span(waited)} for a worker, and nothing of this tenant is before it."
    named = ", ".join(f"{label} ({n:,})" for n, label in counts[:MOST])
    more = f" and {len(counts) - MOST} more kinds" if len(counts) > MOST else ""
    return f"It has waited {span(waited)} for a worker. Before it: {named}{more}."
