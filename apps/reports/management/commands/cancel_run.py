"""Command `cancel_run RUN`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.evaluations.judging.services.completion import cancel_run_and_judging
from apps.runs.playing.queries.progress import conversation_counts, find_run
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Stop a run for good, and the evaluations that still judge it; what has not ended is cancelled."

    reads_rows = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=uuid.UUID, help="the run's id")

    def answer(self, *, run: uuid.UUID, **_: Any) -> dict[str, Any]:
        cancel_run_and_judging(run_id=run, now=timezone.now())
        return {"test_run_id": str(run), "status": find_run(run).status, "conversations": conversation_counts(run)}
