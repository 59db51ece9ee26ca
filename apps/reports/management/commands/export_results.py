"""Command `export_results`: write the scores or checks of an evaluation or a run to a file.

It takes `--evaluation E|--run R --format csv|parquet|jsonl [--table scores|checks] [--out FILE]`.
"""

import os
import sys
import uuid
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from apps.core.errors import BadInput
from apps.reports.management.table_file import write_table
from apps.reports.tables.services.exporting import ExportFormat, export_check_results, export_results
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Write results as a table: a row per conversation and criterion, those without a score too."

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--evaluation", type=uuid.UUID, help="the evaluation's id")
        which.add_argument("--run", type=uuid.UUID, help="the run's id: all its evaluations")
        parser.add_argument(
            "--table",
            choices=("scores", "checks"),
            default="scores",
            help="scores: a row per conversation and criterion (default); checks: one per conversation and check",
        )
        parser.add_argument("--format", choices=[one.value for one in ExportFormat], default="csv", help="default csv")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")

    def answer(
        self,
        *,
        evaluation: uuid.UUID | None,
        run: uuid.UUID | None,
        table: str,
        format: str,
        out: Path | None,
        as_json: bool,
        **_: Any,
    ) -> Any:
        if out is None and as_json:
            raise BadInput("--json answers on standard output, so the table needs --out FILE", pointer="/out")
        if out is None and format == ExportFormat.PARQUET and sys.stdout.isatty():
            raise BadInput("Parquet is not for a terminal: give --out FILE", pointer="/out")
        counted: list[int] = []
        chosen = ExportFormat(format)
        if table == "checks":
            pieces = export_check_results(format=chosen, run_id=_run(run), count=counted.append)
        else:
            pieces = export_results(format=chosen, evaluation_id=evaluation, run_id=run, count=counted.append)
        if out is None:
            try:
                for piece in pieces:
                    self._print(piece)
            except BrokenPipeError:  # `| head` has read enough
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return None
            self.note(f"{sum(counted)} rows")
            return None
        write_table(out, pieces)
        return {"rows": sum(counted), "file": str(out), "format": format}

    def _print(self, piece: bytes) -> None:
        """Bytes as they are: a stream of text would change line ends, and could not hold Parquet."""
        buffer = getattr(getattr(self.stdout, "_out", None), "buffer", None)
        if buffer is None:  # captured by call_command
            self.stdout.write(piece.decode("utf-8", "replace"), ending="")
        else:
            buffer.write(piece)
            buffer.flush()


def _run(run: uuid.UUID | None) -> uuid.UUID:
    if run is None:
        raise BadInput("checks belong to a run, not to an evaluation: give --run", pointer="/run")
    return run
