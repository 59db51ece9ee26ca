"""`report --run R --out DIR`: the report of any run that has ended, made from its rows."""

import uuid
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from apps.reports.management.measuring import EXITS
from apps.reports.queries.run_report import run_report
from apps.reports.services.report_files import write_report
from apps.statistics.decision import Decision
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Write report.json, report.html and junit.xml of a run that has ended. Exit code: 0 its checks pass, 1 one "
        "fails or cannot tell, 3 nothing failed and something could not be measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=uuid.UUID, required=True, help="the run's id")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder, made where it is missing")

    def answer(self, *, tenant: str, run: uuid.UUID, out: Path, **options: Any) -> tuple[dict[str, Any], Exit]:
        report = run_report(run)
        files = write_report(report, out)
        answer = {
            "test_run_id": report["test_run_id"],
            "verdict": report["verdict"],
            "digest": report["digest"],
            "outcomes": report["outcomes"],
            "files": files,
        }
        return answer, EXITS[Decision(report["verdict"])]

    def show(self, answer: Any) -> None:
        self.stdout.write(f"run {answer['test_run_id']}: {answer['verdict']}, digest {answer['digest'][:16]}")
        for check, outcomes in answer["outcomes"].items():
            listing = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items() if count)
            self.stdout.write(f"  {check:<32}{listing}")
        for path in answer["files"].values():
            self.stdout.write(f"  {path}")
