"""The part that commands which start a run share: wake workers, wait if asked, answer with figures and an exit code."""

import argparse
import time
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.checks.queries.check_results import results_in_force
from apps.core.errors import BadInput
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.management.progress_bar import ProgressBar
from apps.evaluations.progress.services.wait import wait_until_done
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.run_reports.queries.run_report import run_report
from apps.reports.run_reports.services.finishing_checks import finish_checks
from apps.reports.run_reports.services.report_files import remove_report, write_report
from apps.runs.domain.states import RunStatus
from apps.runs.playing.queries.progress import conversation_counts, failed_by_agent, find_run, left_out_of, why_failed
from apps.runs.playing.queries.simulator_counts import simulator_counts
from apps.statistics.decision import TOO_LITTLE_CODE, Decision
from apps.tenants.commands import Exit, TenantCommand

EXITS = {
    Decision.PASS: Exit.DONE,
    Decision.FAIL: Exit.NO,
    Decision.UNDECIDED: Exit.NO,  # never a silent pass
    Decision.UNMEASURABLE: Exit.UNMEASURABLE,
}


class MeasuringCommand(TenantCommand):
    """A command that owes work to workers, and can wait for it."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--wait", action="store_true", help="follow until it has ended")
        parser.add_argument(
            "--report",
            type=Path,
            metavar="DIR",
            help="with --wait: write report.html, report.json and junit.xml of the run into this folder",
        )
        parser.add_argument(
            "--timeout", type=_seconds, default=3600.0, metavar="SECONDS", help="how long to wait at most; default 3600"
        )

    def measured(
        self,
        *,
        tenant: str,
        run_id: uuid.UUID,
        evaluation_id: uuid.UUID | None,
        wait: bool,
        timeout: float,
        report: Path | None = None,
    ) -> Any:
        """Return the command's answer: ids at once, or figures at the end.

        Exit 0 when the evaluation and the run's checks pass, or when nothing was to be judged. Exit 1 when one fails.
        Exit 3 when none fails and something could not be measured. Exit 1 also when all was measured and one is
        undecided.
        """
        if report is not None and not wait:
            raise BadInput("--report goes with --wait: a run that has not ended has no report.", code="bad_option")
        if report is not None:
            remove_report(report)  # until this run has one, the folder holds none
        began = time.monotonic()
        wake_workers_on_commit(tenant)
        evaluations = [evaluation_id] if evaluation_id else []
        stopped = ""
        if wait:
            with ProgressBar("working") as bar:
                stopped = wait_until_done(
                    run_ids=[run_id], evaluation_ids=evaluations, on_progress=bar.update, timeout_s=timeout
                ).stopped
            left_s = max(1.0, timeout - (time.monotonic() - began))
            waits_for = finish_checks(run_id=run_id, now=timezone.now, timeout_s=left_s)
            stopped = stopped or (f"Checks wait for {waits_for}" if waits_for else "")
        answer, code = self.outcome(run_id=run_id, evaluation_id=evaluation_id, waited=wait, stopped=stopped)
        if wait and not stopped:
            code = max(code, self._checked(run_id, answer, report))
        return answer, code

    def _checked(self, run_id: uuid.UUID, answer: dict[str, Any], folder: Path | None) -> Exit:
        """Add the result of the run's checks, where it has any; write its report, where one was asked for."""
        if folder is None and not results_in_force(run_id=run_id).exists():
            return Exit.DONE
        report = run_report(run_id)
        decided = any(n for counts in report["outcomes"].values() for name, n in counts.items() if name != "skipped")
        answer |= {"verdict": report["verdict"], "checks": report["outcomes"], "digest": report["digest"]}
        answer |= {"warnings": report["warnings"]} if report["warnings"] else {}
        if folder is not None:
            answer["files"] = write_report(report, folder)
        return EXITS[Decision(report["verdict"])] if decided else Exit.DONE

    def outcome(
        self, *, run_id: uuid.UUID, evaluation_id: uuid.UUID | None, waited: bool, stopped: str = ""
    ) -> tuple[dict[str, Any], Exit]:
        """Figures and exit code as they are now; `waited` says that they are meant to be final."""
        answer: dict[str, Any] = {
            "test_run_id": str(run_id),
            "status": find_run(run_id).status,
            "conversations": conversation_counts(run_id),
        }
        if left_out := left_out_of(run_id):
            answer["left_out"] = left_out
            self.note("Left out: " + "; ".join(f"{one['scenario']}: {one['why']}" for one in left_out))
        if simulator := simulator_counts(run_id):
            answer["simulator"] = simulator
        if stopped:
            self.note(f"{stopped}. What is owed stays owed: resume_run {run_id}")
            answer |= {"blame": "budget", "stopped": stopped}
        if waited and any(answer["conversations"][state] for state in ("failed", "timeout")):
            answer["failures"], answer["more_failures"] = why_failed(run_id)
        code = Exit.UNMEASURABLE if waited and answer["status"] != RunStatus.COMPLETED else Exit.DONE
        if evaluation_id:
            answer["evaluation"] = evaluation_summary(evaluation_id)
            if waited:
                answer["criteria"] = answer["evaluation"]["criteria"]
                code = max(code, self._verdict(answer["evaluation"]))
        elif waited and failed_by_agent(run_id):
            code = max(code, Exit.NO)  # nothing was judged, but an agent that fails did not pass
        return answer, code

    def _verdict(self, summary: dict[str, Any]) -> Exit:
        if summary["decision"]["why"] == TOO_LITTLE_CODE:
            return Exit.UNMEASURABLE
        return EXITS[Decision(summary["decision"]["outcome"])]

    def _show_checks(self, answer: Any) -> None:
        if "verdict" in answer:
            self.stdout.write(f"checks: {answer['verdict']}, report {answer['digest'][:16]}")
        for check, outcomes in answer.get("checks", {}).items():
            self.stdout.write(f"  {check:<32}{_named(outcomes)}")
        for line in answer.get("warnings", ()):
            self.stdout.write(f"  ! {line}")
        for path in answer.get("files", {}).values():
            self.stdout.write(f"  {path}")

    def show(self, answer: Any) -> None:
        self.stdout.write(f"run {answer['test_run_id']}: {answer['status']}, {_named(answer['conversations'])}")
        if sentence := answer.get("simulator", {}).get("sentence"):
            self.stdout.write(f"  {sentence}")
        for failure in answer.get("failures", ()):
            self.stdout.write(f"  - {failure}")
        if answer.get("more_failures"):
            self.stdout.write(f"  - and {answer['more_failures']} more; the run's page has them all")
        self._show_checks(answer)
        summary = answer.get("evaluation")
        if summary is None:
            return
        score = summary["weighted_score"]
        shown = "no score yet" if score is None else f"{score:.2f} of 10"
        self.stdout.write(f"evaluation {summary['id']}: {summary['status']}, {shown}, {_named(summary['counts'])}")
        if summary["status"] not in EVALUATION_ACTIVE:
            self.stdout.write(f"  {summary['decision']['sentence']}")
        if summary["verdicts"]["undecided"] or summary["decision"]["blocked"]:
            self.stdout.write(f"  conversations: {_named(summary['verdicts'])}")
        for warning in summary["warnings"]:
            self.stdout.write(f"  ! {warning}")
        for criterion in answer.get("criteria", ()):
            mean = "     –" if criterion["mean"] is None else f"{criterion['mean']:6.2f}"
            self.stdout.write(
                f"  {criterion['title']:<28}{mean}   scored {criterion['scored']}, unscored {criterion['unscored']}"
            )


def judged_with(config: str, *, run_id: uuid.UUID, now: datetime) -> uuid.UUID | None:
    """The evaluation of a run that was just started; None where no evaluator config was named. Raises BadInput."""
    if not config:
        return None
    return request_evaluation(config=config, run_id=run_id, now=now, triggered_by="command").evaluation_id


def _seconds(text: str) -> float:
    seconds = float(text)
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"{text} is not a time: 0 or more seconds")
    return seconds


def _named(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in counts.items() if count) or "nothing yet"
