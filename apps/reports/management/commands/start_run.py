"""`start_run`: battles against an agent, or the failed part of an earlier run again."""

import uuid
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from apps.core.errors import BadInput
from apps.evaluations.services.battles import battle_run
from apps.evaluations.services.creating import request_evaluation
from apps.reports.management.measuring import MeasuringCommand
from apps.reports.services.rerunning import PARTS, rerun_part


class Command(MeasuringCommand):
    help = (
        "Play battles against an agent; with --from, play part of an earlier run again under the same plan. Exit code "
        "with --wait: 0 done, and with --config the score reaches the pass mark; 1 it does not; 3 nothing was measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--agent", help="the agent's name")
        parser.add_argument(
            "--scenario", action="append", dest="scenarios", help="its id; may be repeated; default: all"
        )
        parser.add_argument(
            "--persona", action="append", dest="personas", help="its name, or eligible; may be repeated"
        )
        parser.add_argument("--repeats", type=int, default=1, help="how often each is played; default 1")
        parser.add_argument("--max-turns", type=int, default=None, help="messages at most; default: each scenario's")
        parser.add_argument("--config", default="", help="judge the run with this evaluator config")
        parser.add_argument("--pull-request", default="", help="whose budget pays, as CI names it")
        parser.add_argument("--from", type=uuid.UUID, dest="earlier", help="an earlier run's id")
        parser.add_argument(
            "--only",
            choices=PARTS,
            default="errored",
            help="with --from: what errored through no fault of the agent (default; what only lacks a judgement is "
            "judged again, not played), what it failed, or what nobody could decide",
        )

    def answer(self, *, tenant: str, config: str, wait: bool, timeout: float, **options: Any) -> Any:
        now = timezone.now()
        how: dict[str, Any] = {"tenant": tenant, "wait": wait, "timeout": timeout, "report": options["report"]}
        with transaction.atomic():  # a config that cannot judge starts no run
            if options["earlier"]:
                done = rerun_part(run_id=options["earlier"], only=options["only"], now=now, triggered_by="command")
                if done.judged_again:
                    self.note(f"{done.judged_again} judged again in run {options['earlier']}: they were played already")
                if done.run_id is None:
                    return self.measured(run_id=options["earlier"], evaluation_id=done.evaluations[-1], **how)
                run_id = done.run_id
            elif options["agent"]:
                personas = options["personas"]
                run_id = battle_run(
                    agent=options["agent"],
                    scenarios=options["scenarios"] or "all",
                    personas="eligible" if personas == ["eligible"] else personas,
                    repeats=options["repeats"],
                    max_turns=options["max_turns"],
                    triggered_by="command",
                    pull_request=options["pull_request"],
                    now=now,
                )
            else:
                raise BadInput("Name an agent with --agent, or an earlier run with --from.", code="agent_required")
            evaluation_id = None
            if config:
                created = request_evaluation(config=config, run_id=run_id, now=now, triggered_by="command")
                evaluation_id = created.evaluation_id
        return self.measured(run_id=run_id, evaluation_id=evaluation_id, **how)
