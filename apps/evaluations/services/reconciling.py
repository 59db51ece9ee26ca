"""Putting a run and its evaluations right: recomputed from rows, with what is stuck owed again."""

import uuid
from datetime import datetime

from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.services.finishing import finish_evaluations, reopen_evaluation
from apps.evaluations.services.owing import owe_judgements
from apps.runs.services.control import reconcile_run


def reconcile(*, run_id: uuid.UUID, now: datetime) -> int:
    """Recompute a run and its evaluations; returns how many conversations and judgements are owed again.

    Leases of lost workers are dropped, evaluations the watchdog closed with judgements still owed are reopened.
    Raises NotFound. Safe to repeat; pays nothing itself: workers do.
    """
    owed = reconcile_run(run_id=run_id, now=now)
    stuck = Judgement.objects.filter(
        evaluation__run_id=run_id, status=JudgementStatus.PENDING, lease_expires_at__lt=now
    ).update(lease_token=None, lease_expires_at=None)
    closed = Evaluation.objects.filter(
        run_id=run_id, status=EvaluationStatus.TIMEOUT, judgements__status=JudgementStatus.PENDING
    ).distinct()
    reopened = 0
    for evaluation_id in list(closed.values_list("id", flat=True)):
        if reopen_evaluation(evaluation_id=evaluation_id, now=now):
            reopened += Judgement.objects.filter(evaluation_id=evaluation_id, status=JudgementStatus.PENDING).count()
    owe_judgements(now=now)
    finish_evaluations(now=now)
    return owed + stuck + reopened


def requeue_errors(*, run_id: uuid.UUID, now: datetime) -> int:
    """Owe again the judgements of a run that ended in parse_error or model_error; returns how many.

    Scored judgements are final and stay. The evaluations they belong to run again. Safe to repeat.
    """
    errored = Judgement.objects.filter(
        evaluation__run_id=run_id, status__in=[JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR]
    )
    evaluations = set(errored.values_list("evaluation_id", flat=True))
    count = errored.update(
        status=JudgementStatus.PENDING, attempts=0, error_code="", error_message="", raw_reply="", judged_at=None
    )
    for evaluation_id in evaluations:
        Evaluation.objects.advance(
            evaluation_id,
            expected=[EvaluationStatus.COMPLETED, EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT],
            to=EvaluationStatus.RUNNING,
            ended_at=None,
            error_message="",
            progress_at=now,
        )
    return count
