"""Command `manage.py compare --a E --b E`: say which is better, and for whom."""

import uuid
from typing import Any

from django.core.management.base import CommandParser

from apps.catalog.configs.queries.criterion_titles import criterion_titles
from apps.reports.comparisons.domain.comparison import ComparisonOutcome
from apps.reports.comparisons.queries.comparing import compare
from apps.reports.comparisons.queries.comparison_document import comparison_document
from apps.tenants.commands import Exit, TenantCommand

_EXITS: dict[ComparisonOutcome | None, Exit] = {
    ComparisonOutcome.A_BETTER: Exit.NO,
    ComparisonOutcome.CANNOT_TELL: Exit.UNMEASURABLE,
}


class Command(TenantCommand):
    help = (
        "Compare two evaluations pair by pair. Exit 0: B is not worse, or one run was judged twice; 1: A is better; "
        "3: cannot tell."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--a", required=True, type=uuid.UUID, metavar="EVALUATION", help="the evaluation there was")
        parser.add_argument(
            "--b", required=True, type=uuid.UUID, metavar="EVALUATION", help="the evaluation that is tried against it"
        )
        parser.add_argument(
            "--limit", type=int, default=20, help="conversations to list, changed ones first; default 20"
        )

    def answer(self, *, a: uuid.UUID, b: uuid.UUID, limit: int, **_: Any) -> Any:
        self.titles = criterion_titles()
        comparison = compare(a, b, limit=max(0, limit))
        # Where two judges saw the same conversations, no side can be worse.
        outcome = None if comparison.same_conversations else comparison.overall.outcome
        return comparison_document(comparison), _EXITS.get(outcome, Exit.DONE)

    def show(self, answer: Any) -> None:
        self.stdout.write(answer["decision"])
        for note in answer["notes"]:
            self.stdout.write(f"  ! {note}")
        for one in [answer["overall"], *answer["criteria"]]:
            if one["difference"] is None:
                self.stdout.write(f"  {self.titles[one['criterion']]:<28}     –  nothing scored on both sides")
                continue
            low, high = one["interval"] or (float("nan"), float("nan"))
            result = f"{one['outcome'].replace('_', ' ')}, {one['pairs']} pairs"
            self.stdout.write(
                f"  {self.titles[one['criterion']]:<28}{one['difference']:+6.2f} [{low:+.2f}, {high:+.2f}]  {result}"
            )
        for conversation in answer["conversations"]:
            if conversation["change"] != "same":
                scores = " → ".join(
                    "–" if score is None else f"{score:.1f}" for score in (conversation["a"], conversation["b"])
                )
                self.stdout.write(
                    f"  {conversation['change']:<7}{conversation['conversation_id']}  {scores}  "
                    f"{conversation['reason'][:80]}"
                )
