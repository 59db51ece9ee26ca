"""Rows of paid work that wait are tried again when a budget is raised."""

from django.db import connection

from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.work import registered

# Whatever a row waits for: a model that limits us is not asked before its time (shared cool-downs), and says so again.
_END = """
UPDATE {table} SET not_before = NULL, waiting_for = ''
WHERE ({pending}) AND not_before IS NOT NULL AND lease_token IS NULL
"""


def end_money_waits(*, tenant: str) -> None:
    """Let the rows of every kind that pays be tried now, and call their workers. One update for each such kind. Safe to
    repeat and to race: what cannot be paid will wait again."""
    metered = [work for work in registered() if work.metered]
    with connection.cursor() as cursor:
        for work in metered:
            cursor.execute(_END.format(table=work.table, pending=work.pending))
    wake_workers_on_commit(tenant, *(work.name for work in metered))
