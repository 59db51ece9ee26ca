"""Command `pairwise --a RUN --b RUN --config C`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.reports.comparisons.services.pairwise import compare_pairwise, pairs_of_runs
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Ask a config's judge, for every conversation two runs share, in which run the agent did better: in both "
        "orders, so that favour for the first place is a tie and is told. Exit code 0 done, 2 wrong use, 3 no answers."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--a", required=True, type=uuid.UUID, metavar="RUN", help="the run there was")
        parser.add_argument("--b", required=True, type=uuid.UUID, metavar="RUN", help="the run that is tried")
        parser.add_argument("--config", required=True, help="name, or name@version: its judge and criteria")

    def answer(self, *, a: uuid.UUID, b: uuid.UUID, config: str, **_: Any) -> Any:
        return compare_pairwise(config=config, pairs=pairs_of_runs(a, b), now=timezone.now)

    def show(self, answer: Any) -> None:
        self.stdout.write(f"{answer['sentence']} ({answer['judge']})")
        for pair in answer["pairs"]:
            self.stdout.write(f"  {pair['name']:<40} {'flip' if pair['flipped'] else pair['better']}")
