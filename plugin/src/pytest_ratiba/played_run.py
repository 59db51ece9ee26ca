"""A run that has ended, as the server's rows have it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_ratiba.client import RatibaClient, ServerError
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.outcomes import CaseOutcome

TERMINAL = ("completed", "failed", "timeout", "cancelled")


@dataclass(frozen=True, kw_only=True)
class PlayedRun:
    """A run that has ended: its report, and what it came to by the name of its conversations."""

    report: Mapping[str, Any]
    outcomes: Mapping[str, CaseOutcome]
    evaluation_id: str = ""


def played_run(
    client: RatibaClient,
    report: Mapping[str, Any],
    *,
    evaluation: str,
    failure_of: Callable[[str], str] = lambda conversation: "",
) -> PlayedRun:
    """The run of this report with the judgements of `evaluation`, "" for none. `failure_of` says why a conversation's
    tenant could not be made. Raises `ServerError`."""
    judged = (
        {str(judgement["conversation"]): judgement for judgement in client.judgements(evaluation)} if evaluation else {}
    )
    outcomes = {
        str(one["name"]): CaseOutcome(
            name=str(one["name"]),
            test_run_id=str(report["test_run_id"]),
            digest=str(report["digest"]),
            conversation=one,
            judgement=judged.get(str(one["id"])),
            failure=failure_of(str(one["id"])),
        )
        for one in report["conversations"]
    }
    return PlayedRun(report=report, outcomes=outcomes, evaluation_id=evaluation)


def read_played_run(client: RatibaClient, run_id: str, *, evaluator_config: str) -> PlayedRun:
    """A run that was played before, with the judgements by this config, the newest where there are several. Nothing is
    played or judged. Raises `ProjectError` for a run there is none of, or that has not ended."""
    try:
        status, report = client.run_status(run_id), client.run_report(run_id)
        if report is None or status["status"] not in TERMINAL:
            raise ProjectError(f"--test-run {run_id} has not ended: it is {status['status']}")
        listed = [client.evaluation(evaluation["id"]) for evaluation in status["evaluations"]]
        ours = [one["id"] for one in listed if evaluator_config in _names(one["evaluator_config"])]
        return played_run(client, report, evaluation=str(ours[-1]) if ours else "")
    except ServerError as error:
        raise ProjectError(f"--test-run {run_id}: {error}") from error


def _names(config: str) -> tuple[str, str]:
    """A version may be named whole, or by its config."""
    return config, config.partition("@")[0]
