"""What `evaluate`, `start_run` and `replay` share: knock, wait if asked to, answer with figures and an exit code."""

import argparse
import uuid
from typing import Any

from django.core.management.base import CommandParser

from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.management.progress_bar import ProgressBar
from apps.evaluations.services.wait import wait_until_done
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.queries.evaluation_document import evaluation_summary
from apps.runs.domain.states import RunStatus
from apps.runs.queries.progress import conversation_counts, failed_by_agent, find_run, left_out_of, why_failed
from apps.statistics.decision import Decision
from apps.tenants.commands import Exit, TenantCommand

_EXITS = {
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
            "--timeout", type=_seconds, default=3600.0, metavar="SECONDS", help="how long to wait at most; default 3600"
        )

    def measured(
        self, *, tenant: str, run_id: uuid.UUID, evaluation_id: uuid.UUID | None, wait: bool, timeout: float
    ) -> Any:
        """The answer of the command: ids at once, or figures at the end.

        Exit 0 when the evaluation passes (or nothing was judged on request), 1 when it fails or cannot tell, 3 when
        nothing could be measured.
        """
        wake_workers_on_commit(tenant)
        evaluations = [evaluation_id] if evaluation_id else []
        stopped = ""
        if wait:
            with ProgressBar("working") as bar:
                stopped = wait_until_done(
                    run_ids=[run_id], evaluation_ids=evaluations, on_progress=bar.update, timeout_s=timeout
                ).stopped
        return self.outcome(run_id=run_id, evaluation_id=evaluation_id, waited=wait, stopped=stopped)

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
        return _EXITS[Decision(summary["decision"]["outcome"])]

    def show(self, answer: Any) -> None:
        self.stdout.write(f"run {answer['test_run_id']}: {answer['status']}, {_named(answer['conversations'])}")
        for failure in answer.get("failures", ()):
            self.stdout.write(f"  - {failure}")
        if answer.get("more_failures"):
            self.stdout.write(f"  - and {answer['more_failures']} more; the run's page has them all")
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
        for one in answer.get("criteria", ()):
            mean = "     –" if one["mean"] is None else f"{one['mean']:6.2f}"
            self.stdout.write(f"  {one['criterion']:<28}{mean}   scored {one['scored']}, unscored {one['unscored']}")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"{text} is not a time: 0 or more seconds")
    return seconds


def _named(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in counts.items() if count) or "nothing yet"
