"""Register the parts of this room when Django starts."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.dispatch import receiver

from apps.catalog.measured_metrics import sources
from apps.checks.services.enqueue_checks import LACKS_JOB
from apps.evaluations.signals import run_reconciled, stuck_runs
from apps.jobs.wakeups import wake_on, wake_workers_on_commit
from apps.jobs.work import Work, register
from apps.runs.domain.kind_traits import sql_list
from apps.runs.domain.states import RUN_TERMINAL, Kind
from apps.runs.signals import conversations_ended
from apps.tenants.context import current_slug

_UNLOOKED = f"""
SELECT 1 FROM {{schema}}.runs_testrun r
WHERE r.kind = '{Kind.BATTLE.value}' AND r.status IN {sql_list(sorted(RUN_TERMINAL))}
  AND NOT EXISTS (SELECT 1 FROM {{schema}}.checks_runlook l WHERE l.run_id = r.id)
"""  # noqa: S608 - words of our own

register(
    Work(
        name="checks",
        label="conversation to be checked",
        serve="apps.checks.tasks.measure",
        table="checks_checkjob",
        metered=True,
        finds=(f"SELECT 1 {LACKS_JOB}", _UNLOOKED),
    )
)
wake_on(conversations_ended, "checks")


@sources.append
def _metric_names() -> Iterable[str]:
    from apps.checks.metrics.registry import METRICS  # noqa: PLC0415 - only who reads scenarios loads the metrics

    return METRICS


@receiver(run_reconciled)
def _free_silent(*, run_id: uuid.UUID, now: datetime, **_: Any) -> int:
    """Checks that a lost worker holds are measured at once."""
    from apps.checks.services.run_checks import free_silent  # noqa: PLC0415 - it loads the network's client

    freed = free_silent(run_id=run_id, now=now)
    if freed:
        wake_workers_on_commit(current_slug(), "checks")
    return freed


@receiver(stuck_runs)
def _runs_with_silent(*, now: datetime, **_: Any) -> list[uuid.UUID]:
    from apps.checks.services.run_checks import runs_with_silent  # noqa: PLC0415 - it loads the network's client

    return runs_with_silent(now=now)
