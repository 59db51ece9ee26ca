"""Command `start_run`: start battles against an agent, or the failed part of an earlier run again."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from apps.core.errors import BadInput
from apps.core.subject import Subject
from apps.evaluations.progress.services.rerun import Repeated
from apps.evaluations.requests.queries.judging_choices import usual_config
from apps.evaluations.requests.services.battles import battle_run
from apps.evaluations.requests.services.forecasting import forecast_of_run
from apps.reports.management.measuring import MeasuringCommand, judged_with
from apps.reports.run_reports.services.rerunning import PARTS, rerun_from_turn, rerun_part

_OF_A_PLAN = {
    "--agent": "agent",
    "--scenario": "scenarios",
    "--persona": "personas",
    "--repeats": "repeats",
    "--max-turns": "max_turns",
    "--prompt": "prompt",
    "--pull-request": "pull_request",
    "--commit": "commit",
}


class Command(MeasuringCommand):
    help = (
        "Play battles against an agent; with --from, play part of an earlier run again under the same plan. Exit code "
        "with --wait: 0 done, and the score reaches the pass mark; 1 it does not; 3 nothing was measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--agent", help="the agent's name")
        parser.add_argument(
            "--scenario", action="append", dest="scenarios", help="its id, or a pattern: attack_*_sw; may be repeated"
        )
        parser.add_argument("--persona", action="append", dest="personas", help="its name, or eligible; repeatable")
        parser.add_argument("--repeats", type=int, default=None, help="how often each is played; default 1")
        parser.add_argument("--max-turns", type=int, default=None, help="messages at most; default: each scenario's")
        parser.add_argument(
            "--prompt", default="", help="the version that an agent which is a prompt plays: name@revision"
        )
        parser.add_argument("--commit", default="", help="of the agent's repository; a gate finds its baseline by it")
        judge = parser.add_mutually_exclusive_group()
        judge.add_argument("--config", default="", help="default: its last judge, else the pack's, else the newest")
        judge.add_argument("--no-judge", action="store_true", help="play it, and judge nothing")
        parser.add_argument("--pull-request", default="", help="whose budget pays, as CI names it")
        parser.add_argument(
            "--yes", action="store_true", help="start it, also above confirm_run_usd or at an unknown cost"
        )
        parser.add_argument("--from", type=uuid.UUID, dest="earlier", help="an earlier run's id")
        parser.add_argument(
            "--only",
            choices=PARTS,
            default=None,
            help="with --from alone: what errored through no fault of the agent (default; what only lacks a judgement "
            "is judged again, not played), what failed by its verdict, what nobody could decide, or what was cancelled",
        )
        parser.add_argument(
            "--conversation", type=uuid.UUID, default=None,
            help="with --from and --turn: one battle of that run, whose customer says again what came before the turn",
        )  # fmt: skip
        parser.add_argument(
            "--turn", type=int, default=None, help="its position in the transcript, from 0: from there on it is free"
        )
        parser.add_argument(
            "--evaluation", type=uuid.UUID, default=None,
            help="with --from alone: whose verdicts and config are followed; default: the run's newest completed one",
        )  # fmt: skip

    def answer(self, *, tenant: str, config: str, wait: bool, timeout: float, **options: Any) -> Any:
        _check(options)
        now = timezone.now()
        how: dict[str, Any] = {"tenant": tenant, "wait": wait, "timeout": timeout, "report": options["report"]}
        with transaction.atomic():  # a config that cannot judge starts no run, nor does a cost that nobody confirmed
            if options["earlier"]:
                done = _again(options, now)
                config = "" if options["no_judge"] else config or done.evaluator_config
                if done.judged_again:
                    self.note(f"{done.judged_again} judged again in run {options['earlier']}: they were played already")
                if done.run_id is None:
                    return self.measured(run_id=options["earlier"], evaluation_id=done.evaluations[-1], **how)
                run_id = done.run_id
            else:
                run_id = _battles(options, now)
                config = config or self._usual(options, run_id)
            forecast = self._forecast(run_id, config, confirmed=options["yes"])
            evaluation_id = judged_with(config, run_id=run_id, now=now)
        answer, code = self.measured(run_id=run_id, evaluation_id=evaluation_id, **how)
        return answer | {"forecast": forecast}, code

    def _usual(self, options: Mapping[str, Any], run_id: uuid.UUID) -> str:
        """The config that judges this run, where nobody named one; says which."""
        if options["no_judge"]:
            return ""
        config = usual_config(run_id)
        self.note(f"{config or 'No config is published: nobody'} judges it. Another: --config; none: --no-judge")
        return config

    def _forecast(self, run_id: uuid.UUID, config: str, *, confirmed: bool) -> dict[str, Any]:
        """Say what the run will probably cost, before anybody can play it. Raises BadInput above the tenant's limit."""
        forecast = forecast_of_run(run_id=run_id, config=config)
        self.note(f"Forecast: {forecast.cost.sentence} It plays for {forecast.time.sentence}.")
        if forecast.asks and not confirmed:
            raise BadInput(
                f"{forecast.cost.limit_sentence(forecast.limit)} (confirm_run_usd): nothing was started. "
                "Say --yes to start it.",
                code="confirm_cost",
            )
        return {name: value for name, value in forecast.as_json().items() if name != "left_out"}


def _again(options: Mapping[str, Any], now: datetime) -> Repeated:
    if options["conversation"]:
        return rerun_from_turn(
            conversation_id=options["conversation"],
            of_run=options["earlier"],
            turn=options["turn"],
            repeats=1 if options["repeats"] is None else options["repeats"],
            now=now,
            triggered_by="command",
        )
    return rerun_part(
        run_id=options["earlier"],
        only=options["only"] or "errored",
        evaluation_id=options["evaluation"],
        now=now,
        triggered_by="command",
    )


def _battles(options: Mapping[str, Any], now: datetime) -> uuid.UUID:
    personas = options["personas"]
    return battle_run(
        agent=options["agent"],
        scenarios=options["scenarios"] or "all",
        personas="eligible" if personas == ["eligible"] else personas,
        repeats=1 if options["repeats"] is None else options["repeats"],
        max_turns=options["max_turns"],
        triggered_by="command",
        prompt=options["prompt"],
        pull_request=options["pull_request"],
        subject=Subject(commit=options["commit"]),
        now=now,
    )


def _check(options: Mapping[str, Any]) -> None:
    """Raise BadInput for options that would do nothing: a run that is played again keeps its plan."""
    if (options["conversation"] is None) != (options["turn"] is None):
        raise BadInput("--conversation and --turn go together: from which turn on is it free?", code="bad_option")
    if options["conversation"] and (options["only"] or options["evaluation"] or not options["earlier"]):
        raise BadInput("--conversation goes with --from alone: it is a conversation of that run.", code="bad_option")
    if options["earlier"]:
        free = ("--repeats",) if options["conversation"] else ()
        given = next(
            (name for name, key in _OF_A_PLAN.items() if name not in free and options[key] not in (None, "")), None
        )
        if given:
            raise BadInput(
                f"{given} does not go with --from: part of that run is played under its own plan.", code="bad_option"
            )
    elif options["only"] or options["evaluation"]:
        name = "--only" if options["only"] else "--evaluation"
        raise BadInput(f"{name} goes with --from: it is about a part of an earlier run.", code="bad_option")
    elif not options["agent"]:
        raise BadInput("Name an agent with --agent, or an earlier run with --from.", code="agent_required")
