"""Runs that get nowhere."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Min, Q

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.core.plurals import many
from apps.runs.domain.states import RunStatus
from apps.runs.models import Conversation, TestRun

STUCK = timedelta(minutes=30)
_SHOWN = 50


def stuck_runs(now: datetime) -> list[Condition]:
    """Runs that are pending or running and made no progress for half an hour. Two queries."""
    before = now - STUCK
    going = TestRun.objects.filter(status__in=[RunStatus.PENDING, RunStatus.RUNNING], created_at__lt=before)
    still = going.filter(Q(progress_at__lt=before) | Q(progress_at__isnull=True)).order_by("created_at")[:_SHOWN]
    rows = [run for run in still if (run.kind or "") != "production"]
    waits = _waits([run.pk for run in rows])
    return [
        Condition(
            rule=Rule.RUN_STUCK,
            key=str(run.pk),
            sentence=f"{run} has made no progress for half an hour{waits.get(run.pk, '')}.",
            path=f"/runs/{run.pk}/",
            severity=Severity.CRITICAL,
        )
        for run in rows
    ]


def _waits(ids: list[UUID]) -> dict[UUID, str]:
    rows = Conversation.objects.filter(run_id__in=ids).exclude(waiting_for="").values("run_id")
    found = rows.annotate(n=Count("id"), why=Min("waiting_for"))
    return {row["run_id"]: f": {many(row['n'], 'conversation')} waiting for {row['why']}" for row in found}
