"""Command `reconcile_runs [RUN …]`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.evaluations.progress.services.reconciling import reconcile, runs_to_reconcile
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.playing.queries.progress import find_run
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Recompute runs from their rows and owe again what is stuck; all unfinished or timed-out runs by default."

    reads_rows = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="*", type=uuid.UUID, help="ids of runs")

    def answer(self, *, tenant: str, runs: list[uuid.UUID], **_: Any) -> dict[str, Any]:
        now = timezone.now()
        documents = [
            {"test_run_id": str(run), "owed_again": reconcile(run_id=run, now=now), "status": find_run(run).status}
            for run in runs or runs_to_reconcile(now=now)
        ]
        wake_workers_on_commit(tenant)
        return {"runs": documents}
