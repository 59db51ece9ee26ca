"""Command `import_scores FILE.jsonl --run RUN --config NAME --judge NAME`: import a judge's scores.

The judge is somebody else's.
"""

import uuid
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.calibration.domain.scores_reading import read_scores
from apps.calibration.services.importing_scores import import_scores
from apps.core.errors import BadInput
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Store the scores of somebody else's judge as an evaluation of a run, all or none: one JSON object a line, "
        '{"conversation", "criterion", "value" (0-10 or null), "reason"}. The same file again is a second evaluation.'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a .jsonl file of scores")
        parser.add_argument(
            "--run", type=uuid.UUID, required=True, metavar="ID", help="the run whose conversations were scored"
        )
        parser.add_argument("--config", required=True, metavar="NAME", help="the evaluator config with the criteria")
        parser.add_argument("--judge", required=True, metavar="NAME", help="who scored: a model's name, or a team's")

    def answer(self, *, file: Path, run: uuid.UUID, config: str, judge: str, **_: Any) -> Any:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{file} cannot be read as text: {error}", code="no_such_file") from error
        scores = read_scores(text, file=file.name)
        evaluation = import_scores(run_id=run, config=config, judge=judge, scores=scores, now=timezone.now())
        return {"evaluation_id": str(evaluation), "scores": len(scores)}
