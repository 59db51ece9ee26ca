"""`evaluate --run R --config C`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.evaluations.services.creating import request_evaluation
from apps.reports.management.measuring import MeasuringCommand


class Command(MeasuringCommand):
    help = (
        "Judge a run with an evaluator config version. Exit code with --wait: 0 when the score reaches the pass mark "
        "and no blocking criterion stops a conversation, 1 when not, 3 when nothing could be measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--run", type=uuid.UUID, required=True, help="the run's id")
        parser.add_argument("--config", required=True, help="name (its active version), or name@version")
        parser.add_argument(
            "--no-cache", action="store_true", help="ask although the same question was answered before"
        )
        parser.add_argument("--repeat", type=int, default=1, help="2, 3, …: ask once more, beside the first answers")
        parser.add_argument("--pull-request", default="", help="whose budget pays, as CI names it")

    def answer(self, *, tenant: str, run: uuid.UUID, config: str, wait: bool, timeout: float, **options: Any) -> Any:
        how = {
            "use_cache": not options["no_cache"], "repeat": options["repeat"], "pull_request": options["pull_request"]
        }  # fmt: skip
        asked = request_evaluation(config=config, run_id=run, now=timezone.now(), triggered_by="command", how=how)
        return self.measured(tenant=tenant, run_id=run, evaluation_id=asked.evaluation_id, wait=wait, timeout=timeout)
