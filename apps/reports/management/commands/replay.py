"""`replay --session S …`: the user turns of golden sessions, said again to an agent."""

import argparse
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from apps.evaluations.services.battles import replay_run
from apps.evaluations.services.creating import request_evaluation
from apps.reports.management.measuring import MeasuringCommand


class Command(MeasuringCommand):
    help = (
        "Replay golden sessions against an agent. Exit code with --wait: 0 where their checks pass, and with --config "
        "the score; 1 where one fails; 3 where none fails and something could not be measured (without a model: the "
        "four judged checks); 1 too where all could be measured and one is undecided."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--session", action="append", dest="sessions", required=True, help="a golden session; may be repeated"
        )
        parser.add_argument("--agent", required=True, help="the agent's name")
        parser.add_argument(
            "--transport",
            type=_named,
            default=None,  # a text would be read as if it had been given
            help="agentx, a2a, http or auto; by default agentx where the agent has it, else its own",
        )
        parser.add_argument("--repeats", type=int, default=1, help="how often each is played; default 1")
        parser.add_argument("--config", default="", help="judge the run with this evaluator config")
        parser.add_argument("--pull-request", default="", help="whose budget pays, as CI names it")

    def answer(self, *, tenant: str, config: str, wait: bool, timeout: float, **options: Any) -> Any:
        now = timezone.now()
        with transaction.atomic():  # a config that cannot judge starts no run
            run_id = replay_run(
                agent=options["agent"],
                golden_sessions=options["sessions"],
                transport=options["transport"] or "",
                repeats=options["repeats"],
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


def _named(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty: name agentx, a2a, http or auto, or leave the option out")
    return text
