"""Command `export_labels FILE`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from apps.calibration.domain.labels_reading import write_labels
from apps.calibration.queries.labels import gathered_labels
from apps.core.errors import BadInput
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Write everything people rated here as human_labelled.yaml, masked; `calibrate --labels` reads it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="where to write it")

    def answer(self, *, file: Path, **_: Any) -> Any:
        labels = gathered_labels(to_be_read=True)
        if not labels.items:
            raise BadInput("Nothing was labelled here yet.", code="no_labels")
        try:
            file.write_text(write_labels(labels), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot write {file}: {error.strerror}", pointer="/file") from error
        return {"conversations": len(labels.items), "criteria": labels.criteria, "file": str(file)}
