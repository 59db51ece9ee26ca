"""Command `report --run R --out DIR`: write the report of any run that has ended, from its rows."""

import time
import uuid
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from apps.core.actor import actor_now
from apps.jobs.domain.work_states import WorkStatus
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.management.measuring import EXITS
from apps.reports.run_reports.queries.report_summaries import newest_summary
from apps.reports.run_reports.queries.run_report import run_report
from apps.reports.run_reports.services.report_files import write_report
from apps.reports.run_reports.services.requesting_summaries import request_summary
from apps.statistics.decision import Decision
from apps.tenants.commands import Exit, TenantCommand
from apps.tenants.context import current_slug

POLL_S = 0.5
SUMMARIES = {
    WorkStatus.COMPLETED: "written by a model, in the files",
    WorkStatus.FAILED: "the model wrote none that holds; the page of the report says why",
    WorkStatus.PENDING: "not written in time; ask for the report again later",
}


class Command(TenantCommand):
    help = (
        "Write report.json, report.html and junit.xml of a run that has ended. Exit code: 0 its checks pass, 1 one "
        "fails or cannot tell, 3 nothing failed and something could not be measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=uuid.UUID, required=True, help="the run's id")
        parser.add_argument(
            "--summary",
            action="store_true",
            help="have a model summarise it first, and wait up to --timeout for that (needs a worker)",
        )
        parser.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS", help="for --summary")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder, made where it is missing")

    def answer(self, *, tenant: str, run: uuid.UUID, out: Path, **options: Any) -> tuple[dict[str, Any], Exit]:
        summary = self._summarise(run, options["timeout"]) if options["summary"] else ""
        report = run_report(run)
        files = write_report(report, out)
        answer = {
            "test_run_id": report["test_run_id"],
            "verdict": report["verdict"],
            "digest": report["digest"],
            "outcomes": report["outcomes"],
            "files": files,
            **({"summary": summary} if summary else {}),
        }
        return answer, EXITS[Decision(report["verdict"])]

    def _summarise(self, run: uuid.UUID, timeout: float) -> str:
        """Ask, unless nothing has changed since it was written, and wait for the end; the summary's status."""
        written = run_report(run).get("summary") or {"status": "failed"}
        if written["status"] == "failed" or (written["status"] == "completed" and not written["current"]):
            request_summary(run_id=run, by=actor_now() or "report --summary")
            wake_workers_on_commit(current_slug(), "report_summary")
        until = time.monotonic() + timeout
        while (row := newest_summary(run)) and row.status == WorkStatus.PENDING and time.monotonic() < until:
            time.sleep(POLL_S)
        return row.status if row else ""

    def show(self, answer: Any) -> None:
        self.stdout.write(f"run {answer['test_run_id']}: {answer['verdict']}, digest {answer['digest'][:16]}")
        for check, outcomes in answer["outcomes"].items():
            listing = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items() if count)
            self.stdout.write(f"  {check:<32}{listing}")
        if answer.get("summary"):
            self.stdout.write(f"  summary: {SUMMARIES[answer['summary']]}")
        for path in answer["files"].values():
            self.stdout.write(f"  {path}")
