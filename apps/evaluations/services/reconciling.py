"""Putting a run and its evaluations right: recomputed from rows, with what is stuck owed again."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q

from apps.evaluations.domain.states import EVALUATION_ACTIVE, EvaluationStatus, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.services.finishing import finish_evaluations, reopen_evaluation
from apps.evaluations.services.owing import owe_judgements
from apps.runs.domain.states import CONVERSATION_TERMINAL
from apps.runs.services.control import reconcile_run


def reconcile(*, run_id: uuid.UUID, now: datetime) -> int:
    """Recompute a run and its evaluations; returns how many conversations and judgements are owed again.

    Leases of lost workers are dropped; evaluations the watchdog closed go on, or complete where everything was judged
    meanwhile; a conversation that is played again is judged again when it has ended. Raises NotFound. Safe to repeat;
    pays nothing itself: workers do.
    """
    owed = reconcile_run(run_id=run_id, now=now)
    evaluations = Evaluation.objects.filter(run_id=run_id)
    pending = Judgement.objects.filter(evaluation__run_id=run_id, status=JudgementStatus.PENDING)
    stuck = pending.filter(Q(lease_expires_at__lt=now) | Q(evaluation__status=EvaluationStatus.TIMEOUT)).count()
    pending.filter(lease_expires_at__lt=now).update(lease_token=None, lease_expires_at=None)
    for evaluation_id in list(evaluations.filter(status=EvaluationStatus.TIMEOUT).values_list("id", flat=True)):
        reopen_evaluation(evaluation_id=evaluation_id, now=now)
    _take_back(run_id=run_id, now=now)
    for evaluation_id in list(evaluations.filter(status__in=EVALUATION_ACTIVE).values_list("id", flat=True)):
        stuck += owe_judgements(evaluation_id=evaluation_id, now=now)
    finish_evaluations(now=now)
    return owed + stuck


def _take_back(*, run_id: uuid.UUID, now: datetime) -> None:
    """`not_judged` was said of conversations that are being played again: forget it, and open their evaluations."""
    premature = Judgement.objects.filter(evaluation__run_id=run_id, status=JudgementStatus.NOT_JUDGED).exclude(
        conversation__status__in=CONVERSATION_TERMINAL
    )
    evaluations = set(premature.values_list("evaluation_id", flat=True))
    premature.delete()
    _run_again(evaluations, now)


def requeue_errors(*, run_id: uuid.UUID, now: datetime) -> int:
    """Owe again the judgements of a run that ended in parse_error or model_error; returns how many.

    Scored judgements are final and stay. The evaluations they belong to run again. Safe to repeat.
    """
    errored = Judgement.objects.filter(
        evaluation__run_id=run_id, status__in=[JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR]
    ).exclude(evaluation__status=EvaluationStatus.CANCELLED)
    evaluations = set(errored.values_list("evaluation_id", flat=True))
    count = errored.update(
        status=JudgementStatus.PENDING, attempts=0, error_code="", error_message="", raw_reply="", judged_at=None
    )
    _run_again(evaluations, now)
    return count


def _run_again(evaluations: Iterable[uuid.UUID], now: datetime) -> None:
    for evaluation_id in evaluations:
        Evaluation.objects.advance(
            evaluation_id,
            expected=[EvaluationStatus.COMPLETED, EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT],
            to=EvaluationStatus.RUNNING,
            ended_at=None,
            error_code="",
            error_message="",
            progress_at=now,
        )
