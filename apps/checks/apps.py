"""The room's place in Django."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.apps import AppConfig


class ChecksConfig(AppConfig):
    name = "apps.checks"
    label = "checks"

    def ready(self) -> None:
        from apps.catalog.measured_metrics import sources  # noqa: PLC0415 - settings must be read first
        from apps.evaluations.signals import budget_freed, run_reconciled, stuck_runs  # noqa: PLC0415 - as above
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above
        from apps.runs.signals import conversations_ended  # noqa: PLC0415 - as above

        checks = Work(
            name="checks",
            label="conversation to be checked",
            serve="apps.checks.tasks.measure",
            queue="improvement",
            table="checks_checkjob",
        )
        register(checks)
        sources.append(_metric_names)
        conversations_ended.connect(_wake)
        budget_freed.connect(_measure_unpaid)
        run_reconciled.connect(_free_silent)
        stuck_runs.connect(_runs_with_silent)


def _metric_names() -> Iterable[str]:
    from apps.checks.metrics.registry import METRICS  # noqa: PLC0415 - only who reads scenarios loads the metrics

    return METRICS


def _wake(*, tenant: str, **_: Any) -> None:
    """What has ended may be measured."""
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - settings must be read first

    wake_workers_on_commit(tenant, "checks")


def _measure_unpaid(*, tenant: str, **_: Any) -> None:
    """What waited for money is tried again at once."""
    from apps.checks.services.run_checks import end_budget_waits  # noqa: PLC0415 - settings must be read first

    if end_budget_waits():
        _wake(tenant=tenant)


def _free_silent(*, run_id: uuid.UUID, now: datetime, **_: Any) -> int:
    """Checks that a lost worker holds are measured at once."""
    from apps.checks.services.run_checks import free_silent  # noqa: PLC0415 - settings must be read first
    from apps.tenants.context import current_slug  # noqa: PLC0415 - as above

    freed = free_silent(run_id=run_id, now=now)
    if freed:
        _wake(tenant=current_slug())
    return freed


def _runs_with_silent(*, now: datetime, **_: Any) -> list[uuid.UUID]:
    from apps.checks.services.run_checks import runs_with_silent  # noqa: PLC0415 - settings must be read first

    return runs_with_silent(now=now)
