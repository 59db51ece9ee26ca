"""`resimulate --session S --persona P …`: the goals of golden sessions, pursued freely by personas."""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from apps.evaluations.services.battles import resimulation_run
from apps.evaluations.services.creating import request_evaluation
from apps.reports.management.measuring import MeasuringCommand


class Command(MeasuringCommand):
    help = (
        "Play battles whose goal, opening and language come from golden sessions, with personas as their customers. "
        "The report says where each conversation left the golden session's way. Exit code with --wait as of start_run; "
        "the four judged checks count, too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--session", action="append", dest="sessions", required=True, help="a golden session; may be repeated"
        )
        parser.add_argument(
            "--persona", action="append", dest="personas", required=True, help="its name, or eligible; may be repeated"
        )
        parser.add_argument("--agent", required=True, help="the agent's name")
        parser.add_argument("--repeats", type=int, default=1, help="how often each is played; default 1")
        parser.add_argument(
            "--max-turns", type=int, default=None, help="messages at most; default: twice the golden session's"
        )
        parser.add_argument("--config", default="", help="judge the run with this evaluator config")
        parser.add_argument("--pull-request", default="", help="whose budget pays, as CI names it")

    def answer(self, *, tenant: str, config: str, wait: bool, timeout: float, **options: Any) -> Any:
        now = timezone.now()
        personas = options["personas"]
        with transaction.atomic():  # a config that cannot judge starts no run
            run_id = resimulation_run(
                agent=options["agent"],
                golden_sessions=options["sessions"],
                personas="eligible" if personas == ["eligible"] else personas,
                repeats=options["repeats"],
                max_turns=options["max_turns"],
                triggered_by="command",
                pull_request=options["pull_request"],
                now=now,
            )
            evaluation_id = None
            if config:
                created = request_evaluation(config=config, run_id=run_id, now=now, triggered_by="command")
                evaluation_id = created.evaluation_id
        return self.measured(
            tenant=tenant,
            run_id=run_id,
            evaluation_id=evaluation_id,
            wait=wait,
            timeout=timeout,
            report=options["report"],
        )
