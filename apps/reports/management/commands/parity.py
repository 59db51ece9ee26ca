"""Command `parity --evaluation E`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser

from apps.catalog.configs.queries.criterion_titles import criterion_titles
from apps.evaluations.figures.queries.results import counts_of, find_evaluation
from apps.reports.slices.queries.parity import LABEL, parity_of
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        f"Compare the languages of an evaluation on conversations that carry the same label {LABEL}. Exit code 0 where "
        "no difference is shown, 1 where a language scores lower, 3 where there are no pairs or too few."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--evaluation", required=True, type=uuid.UUID, help="its id")

    def answer(self, *, evaluation: uuid.UUID, **_: Any) -> Any:
        self.titles = criterion_titles()
        row = find_evaluation(evaluation)
        gaps = parity_of(row, scored=counts_of(row)["scored"])
        lower = any("lower" in gap["sentence"] for gap in gaps)
        measurable = any(not gap["sentence"].startswith("cannot tell") for gap in gaps)
        code = Exit.NO if lower else Exit.DONE if measurable else Exit.UNMEASURABLE
        return {"evaluation_id": str(row.pk), "gaps": gaps}, code

    def show(self, answer: Any) -> None:
        if not answer["gaps"]:
            self.stdout.write(f"No two conversations carry the same label {LABEL}.")
        for gap in answer["gaps"]:
            languages = f"{gap['first']}/{gap['second']}"
            self.stdout.write(
                f"  {self.titles[gap['criterion']]:<28}{languages:<8}{gap['pairs']:>4} pairs  {gap['sentence']}"
            )
