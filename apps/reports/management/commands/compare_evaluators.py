"""Command `manage.py compare_evaluators --run R`: show where evaluators agree, and their consistency."""

import uuid
from typing import Any

from django.core.management.base import CommandParser

from apps.catalog.configs.queries.criterion_titles import criterion_titles
from apps.reports.comparisons.queries.evaluators import compare_evaluators
from apps.reports.comparisons.queries.evaluators_document import evaluators_document
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Compare the evaluators that judged a run. Exit 0: one is the most consistent; 3: that cannot be told, because "
        "no conversation was judged twice or because they are alike."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", required=True, type=uuid.UUID, metavar="RUN", help="the run that they judged")
        parser.add_argument(
            "--evaluation",
            action="append",
            default=[],
            type=uuid.UUID,
            metavar="EVALUATION",
            help="only these; without it the newest of each config version",
        )

    def answer(self, *, run: uuid.UUID, evaluation: list[uuid.UUID], **_: Any) -> Any:
        self.titles = criterion_titles()
        evaluators = compare_evaluators(run, evaluation)
        return evaluators_document(evaluators), Exit.DONE if evaluators.best is not None else Exit.UNMEASURABLE

    def show(self, answer: Any) -> None:
        self.stdout.write(answer["sentence"])
        for evaluator in answer["evaluators"]:
            deviation, interval = evaluator["consistency"]["deviation"], evaluator["consistency"]["interval"]
            told = "not asked twice" if deviation is None else f"{deviation:.2f} points from itself"
            told += f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else ""
            self.stdout.write(f"  {evaluator['label']:<28}{evaluator['criteria']:>3} criteria  {told}")
        for one in answer["agreement"]:
            if one["criterion"] and one["verdicts"]:
                title = self.titles[one["criterion"]]
                self.stdout.write(
                    f"  {title:<28}{one['alike'] / one['verdicts']:>5.0%} alike of {one['verdicts']}, "
                    f"{one['contradictions']} against: {one['a']} and {one['b']}"
                )
        for contradiction in answer["contradictions"]:
            turns = ", ".join(map(str, contradiction["turns"])) or "none quoted"
            self.stdout.write(
                f"  {contradiction['conversation']} {self.titles[contradiction['criterion']]}: "
                f"{contradiction['low']['label']} {contradiction['low']['score']:.1f}, "
                f"{contradiction['high']['label']} {contradiction['high']['score']:.1f}; turns {turns}"
            )
