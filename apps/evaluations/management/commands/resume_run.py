"""Command `resume_run RUN`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.evaluations.progress.services.resume import resume
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.playing.queries.progress import conversation_counts, find_run
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Go on with a run that is paused, or whose judging waits for money."

    reads_rows = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=uuid.UUID, help="the run's id")

    def answer(self, *, tenant: str, run: uuid.UUID, **_: Any) -> dict[str, Any]:
        resume(run_id=run, now=timezone.now())
        wake_workers_on_commit(tenant)
        return {"test_run_id": str(run), "status": find_run(run).status, "conversations": conversation_counts(run)}
