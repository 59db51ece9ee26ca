"""Command `pause_run RUN`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser

from apps.runs.playing.queries.progress import conversation_counts, find_run
from apps.runs.playing.services.control import pause_run
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Start no more conversations of a run; those being played end."

    reads_rows = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=uuid.UUID, help="the run's id")

    def answer(self, *, run: uuid.UUID, **_: Any) -> dict[str, Any]:
        pause_run(run_id=run)
        return {"test_run_id": str(run), "status": find_run(run).status, "conversations": conversation_counts(run)}
