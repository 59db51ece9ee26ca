"""Waiting for work that others do: for commands with `--wait` and for the demo."""

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from apps.budgets.domain.sentences import SPENT_CODE
from apps.core.errors import RatibaError
from apps.evaluations.domain.states import EVALUATION_TERMINAL, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.domain.kind_traits import JUDGEABLE
from apps.runs.domain.states import (
    CONVERSATION_TERMINAL,
    RUN_TERMINAL,
    ConversationStatus,
    RunStatus,
    SimulatorVerdict,
)
from apps.runs.models import Conversation, TestRun


class WaitTimeout(RatibaError):
    """The work had not ended when the patience of whoever waited had."""

    code = "still_running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Units of work: conversations to be played and judgements to be given.

    `stopped` says why nothing goes on until somebody does something: all that is left waits for money.
    """

    done: int
    total: int
    ended: bool
    stopped: str = ""


def progress_of(*, run_ids: Sequence[uuid.UUID], evaluation_ids: Sequence[uuid.UUID]) -> Progress:
    """Return how far these runs and evaluations are.

    Eight queries, eleven where money is waited for, whatever the size.
    """
    played = Conversation.objects.filter(run_id__in=run_ids)
    judged = Judgement.objects.filter(evaluation_id__in=evaluation_ids)
    expected = Conversation.objects.filter(run__evaluations__in=evaluation_ids).count()
    open_runs = TestRun.objects.filter(pk__in=run_ids).exclude(status__in=RUN_TERMINAL).exists()
    open_evaluations = Evaluation.objects.filter(pk__in=evaluation_ids).exclude(status__in=EVALUATION_TERMINAL).exists()
    return Progress(
        done=played.filter(status__in=CONVERSATION_TERMINAL)
        .exclude(simulator_verdict=SimulatorVerdict.PENDING)  # it may be played again: the bar never goes back
        .count()
        + judged.exclude(status=JudgementStatus.PENDING).count(),
        total=played.count() + expected,
        ended=not (open_runs or open_evaluations),
        stopped=_unpaid(run_ids, evaluation_ids) if open_runs or open_evaluations else "",
    )


def _unpaid(run_ids: Sequence[uuid.UUID], evaluation_ids: Sequence[uuid.UUID]) -> str:
    """Say why money is waited for, where nothing else is left to do or to wait for; else empty. Two to five queries."""
    runs = Q(run_id__in=run_ids) | Q(run__evaluations__in=evaluation_ids)
    playing = Conversation.objects.filter(runs).exclude(status__in=CONVERSATION_TERMINAL)
    judgements = Judgement.objects.filter(evaluation_id__in=evaluation_ids)
    judging = judgements.filter(status=JudgementStatus.PENDING)
    for work in (playing, judging):
        reason = work.filter(error_code=SPENT_CODE).values_list("waiting_for", flat=True).first()
        if reason:
            break
    else:
        return ""
    still = Q(status=ConversationStatus.RUNNING) | ~Q(run__status=RunStatus.PAUSED)
    if playing.exclude(error_code=SPENT_CODE).filter(still).exists() or judging.exclude(error_code=SPENT_CODE).exists():
        return ""
    ended = Conversation.objects.filter(run__evaluations__in=evaluation_ids, status__in=CONVERSATION_TERMINAL)
    owed_soon = ended.filter(kind__in=JUDGEABLE).count() > judgements.count()
    return "" if owed_soon else str(reason)


def _waits(run_ids: Sequence[uuid.UUID], evaluation_ids: Sequence[uuid.UUID]) -> str:
    """Say in a sentence why open work waits; "" where no work says so. Two queries."""
    judging = Judgement.objects.filter(evaluation_id__in=evaluation_ids, status=JudgementStatus.PENDING)
    playing = Conversation.objects.filter(run_id__in=run_ids).exclude(status__in=CONVERSATION_TERMINAL)
    waits = (
        work.exclude(waiting_for="").values_list("waiting_for", flat=True).distinct() for work in (playing, judging)
    )
    reasons = {reason for of_work in waits for reason in of_work}
    return f"What is left waits: {'; '.join(sorted(reasons))}." if reasons else ""


def wait_until_done(
    *,
    run_ids: Sequence[uuid.UUID],
    evaluation_ids: Sequence[uuid.UUID],
    on_progress: Callable[[Progress], None],
    timeout_s: float,
    every_s: float = 0.5,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Progress:
    """Poll until all of them have ended, or nothing goes on because a budget is spent (`stopped`).

    Raises StillRunning after `timeout_s`. Eight queries per poll.
    """
    until = clock() + timeout_s
    while True:
        progress = progress_of(run_ids=run_ids, evaluation_ids=evaluation_ids)
        on_progress(progress)
        if progress.ended or progress.stopped:
            return progress
        if clock() >= until:
            why = _waits(run_ids, evaluation_ids) or "Are workers running?"
            raise WaitTimeout(f"Not ended after {timeout_s:g} s: {progress.done} of {progress.total} done. {why}")
        connection.close()
        sleep(every_s)
