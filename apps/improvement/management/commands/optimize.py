"""Command `manage.py optimize --evaluation E`: propose fixes of the prompt, and try each of them."""

import time
import uuid
from argparse import ArgumentTypeError
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.actor import os_user
from apps.core.documents import as_json
from apps.core.errors import BadInput
from apps.improvement.domain.optimization_states import OPTIMIZATION_OPEN, OptimizationOutcome, OptimizationStatus
from apps.improvement.drafts.services.drafting import draft_from_file
from apps.improvement.optimizer.domain.choices import OptimizationChoices
from apps.improvement.optimizer.domain.modes import NAMES
from apps.improvement.optimizer.queries.documents import find_optimization, optimization_document, optimization_matrix
from apps.improvement.optimizer.services.requesting_optimizations import plan_optimization, request_optimization
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.commands import Exit, TenantCommand
from apps.tenants.context import current_slug

EVERY_S = 2.0
_CODES: Mapping[str, Exit] = {
    OptimizationOutcome.BETTER: Exit.DONE,
    OptimizationOutcome.HELPED: Exit.DONE,
    OptimizationOutcome.NOT_SHOWN: Exit.NO,
    OptimizationOutcome.BLOCKED: Exit.NO,
    OptimizationOutcome.UNMEASURABLE: Exit.UNMEASURABLE,
}


class Command(TenantCommand):
    help = (
        "Improve the prompt of an evaluation that disappoints: propose fixes, try each against the live prompt, say "
        "which helped. Nothing goes live. Exit 0: started, or a draft helped (with --prove: was shown to be better); "
        "1: none did; 2: wrong use; 3: nothing could be measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        say = parser.add_argument
        say("--evaluation", required=True, metavar="ID")
        say("--mode", default="surgical", choices=NAMES)
        say("--drafts", type=int, metavar="N", help="how many a model writes")
        say("--draft", type=Path, action="append", dest="files", metavar="FILE", help="your own; may be repeated")
        say("--evaluator-config", action="append", dest="configs", metavar="NAME[@N]", help="the first decides")
        say("--agent", default="", help="who plays the prompt; default: whom its settings name")
        say("--persona", action="append", dest="personas", metavar="NAME")
        say("--repeats", type=int, default=1)
        say("--budget-usd", type=_dollars, metavar="D", help="the most that all of it may cost")
        say("--override-reason", default="", help="why the judge's own model may propose")
        say("--forecast", action="store_true", help="say what it would take, and start nothing")
        say("--wait", action="store_true", help="until it has ended")
        say("--prove", action="store_true", help="send the best to the hold-out: spends a look")

    def answer(self, *, forecast: bool, wait: bool, **options: Any) -> Any:
        choices = _choices(options)
        if forecast:
            return {"forecast": as_json(plan_optimization(choices, now=timezone.now()).forecast.document())}
        made = request_optimization(choices, by=os_user(), now=timezone.now())
        wake_workers_on_commit(current_slug(), "optimization")
        if wait:
            self._wait(made)
        row = find_optimization(made)
        document = {**as_json(optimization_document(row)), "matrix": as_json(optimization_matrix(row))}
        return document, _CODES.get(row.outcome, Exit.NO if row.status == OptimizationStatus.CANCELLED else Exit.DONE)

    def show(self, answer: Any) -> None:
        if "status" not in answer:
            for line in (answer["forecast"]["sentence"], *answer["forecast"]["warnings"]):
                self.stdout.write(line)
            return
        self.stdout.write(answer["sentence"] or answer["forecast"]["sentence"])
        self.stdout.write(f"optimization {answer['id']}: {answer['status']}, round {answer['round']}")
        for draft in answer["drafts"]:
            gain = "–" if draft["estimate"] is None else f"{draft['estimate']:+.2f}"
            left = f"  left out: {draft['left_out']['sentence']}" if draft["left_out"] else ""
            self.stdout.write(f"{draft['name']:<20}{gain:>7}  {draft['note'][:60]}{left}")
        if answer["conflicts"]:
            self.stdout.write(f"Winners change {len(answer['conflicts'])} sections differently: choose on its page.")

    def _wait(self, made: uuid.UUID) -> None:
        """Wait until the optimization has ended; tell each thing it waits for once."""
        last_wait = ""
        while (row := find_optimization(made)).status in OPTIMIZATION_OPEN:
            if row.waiting_for and row.waiting_for != last_wait:
                last_wait = row.waiting_for
                self.note(f"waits for {last_wait}")
            time.sleep(EVERY_S)


def _choices(options: Mapping[str, Any]) -> OptimizationChoices:
    try:
        evaluation = uuid.UUID(options["evaluation"])
    except ValueError:
        message = f"--evaluation is the id of an evaluation, not {options['evaluation']!r}."
        raise BadInput(message, pointer="/evaluation_id") from None
    own = []
    for file in options["files"] or ():
        made = draft_from_file(path=file, name=None, by=os_user())
        if made is None:
            raise BadInput(f"No prompt named {file.stem} is live: record one first.", code="unknown_prompt")
        own.append(made)
    return OptimizationChoices(
        evaluation_id=evaluation,
        mode=options["mode"],
        drafts=options["drafts"],
        own_drafts=tuple(own),
        evaluator_configs=tuple(options["configs"] or ()),
        agent=options["agent"],
        personas=tuple(options["personas"] or ()),
        repeats=options["repeats"],
        budget_usd=options["budget_usd"],
        override_reason=options["override_reason"],
        prove=options["prove"],
    )


def _dollars(text: str) -> Decimal:
    try:
        dollars = Decimal(text)
    except InvalidOperation:
        dollars = Decimal("NaN")
    if not dollars.is_finite() or dollars < 0:
        raise ArgumentTypeError(f"{text!r} is no sum of dollars")
    return dollars
