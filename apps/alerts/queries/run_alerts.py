"""Runs that ended without their conversations."""

from datetime import datetime, timedelta

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.runs.domain.kind_traits import RUN_LIST
from apps.runs.domain.states import RunStatus
from apps.runs.models import TestRun

LATELY = timedelta(hours=24)
_SHOWN = 50


def ended_badly(now: datetime) -> list[Condition]:
    """Runs that failed, or that the watchdog stopped, within a day: a run without progress is one of these within the
    minutes that the settings say, and one that waits for money is told by its budget. One query."""
    rows = TestRun.objects.filter(
        status__in=[RunStatus.FAILED, RunStatus.TIMEOUT], ended_at__gte=now - LATELY, kind__in=RUN_LIST
    )
    return [
        Condition(
            rule=Rule.RUN_STUCK,
            key=str(run.pk),
            sentence=f"{run} {'failed' if run.status == RunStatus.FAILED else 'was stopped: it made no progress'}.",
            path=f"/runs/{run.pk}/",
            severity=Severity.CRITICAL,
        )
        for run in rows.order_by("ended_at")[:_SHOWN]
    ]
