"""Command `manage.py compare_prompts A B [C ...]`: say which version of a prompt is better, and where."""

from typing import Any

from django.core.management.base import CommandParser

from apps.improvement.drafts.queries.version_comparison import compare_prompt_versions
from apps.improvement.drafts.queries.version_document import version_document
from apps.reports.comparisons.domain.comparison import ComparisonOutcome
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Compare versions of one prompt with the first of them, over what both played under one judge. Exit 0: none is "
        "worse; 1: the first is better than one of them; 3: of one it cannot be told, or it could not be compared."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("first", metavar="A", help="the version that the others are held against")
        parser.add_argument(
            "others", nargs="+", metavar="B", help="a version of the same prompt, live, earlier or draft"
        )
        parser.add_argument(
            "--evaluator-config", default="", metavar="NAME[@N]", help="default: whose scores most versions share"
        )
        parser.add_argument(
            "--scenario",
            action="append",
            dest="scenarios",
            metavar="SLUG",
            help="only this one; may be repeated; leaves hold-outs of trials out",
        )

    def answer(
        self, *, first: str, others: list[str], evaluator_config: str, scenarios: list[str] | None, **_: Any
    ) -> Any:
        versions = compare_prompt_versions([first, *others], config=evaluator_config, scenarios=scenarios)
        outcomes = {row.figures.overall.difference.outcome if row.figures else None for row in versions.rows}
        code = Exit.DONE
        if ComparisonOutcome.A_BETTER in outcomes:
            code = Exit.NO
        elif outcomes & {None, ComparisonOutcome.CANNOT_TELL}:
            code = Exit.UNMEASURABLE
        return version_document(versions), code

    def show(self, answer: Any) -> None:
        self.stdout.write(answer["decision"])
        if answer["judge"]:
            self.stdout.write(f"judged by {answer['judge']['evaluator_config']}")
        for row in answer["versions"]:
            self.stdout.write(f"{row['prompt_version']} ({row['standing']})")
            if row["missing"]:
                self.stdout.write(f"  ! {row['missing']['code']}: {row['missing']['sentence']}")
                continue
            self.stdout.write(f"  {row['sentence']}")
            for one in [row["overall"], *row["criteria"], *row["measures"]]:
                self.stdout.write(f"  {_line(one)}")


def _line(one: dict[str, Any]) -> str:
    if one["difference"] is None:
        return f"{one['name']:<28}     –  {one['missing'].replace('_', ' ')}"
    shown = "{:+.5f}" if one["name"] == "cost_usd" else "{:+.2f}"
    difference = shown.format(one["difference"])
    between = f"[{', '.join(map(shown.format, one['interval']))}]" if one["interval"] else "[too few families]"
    outcome = f"{one['outcome'].replace('_', ' ')}, " if "outcome" in one else ""
    return f"{one['name']:<28}{difference:>9} {between}  {outcome}{one['pairs']} pairs, {one['families']} families"
