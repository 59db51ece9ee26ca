"""`evaluate --run R --config C`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.evaluations.management.measuring import MeasuringCommand
from apps.evaluations.services.creating import request_evaluation


class Command(MeasuringCommand):
    help = "Judge a run with an evaluator config version."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--run", type=uuid.UUID, required=True, help="the run's id")
        parser.add_argument("--config", required=True, help="name, or name@version; the active version by default")

    def answer(self, *, tenant: str, run: uuid.UUID, config: str, wait: bool, timeout: float, **_: Any) -> Any:
        asked = request_evaluation(config=config, run_id=run, now=timezone.now(), triggered_by="command")
        return self.measured(tenant=tenant, run_id=run, evaluation_id=asked.evaluation_id, wait=wait, timeout=timeout)
