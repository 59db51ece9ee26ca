"""Putting a run and its evaluations right: recomputed from rows, with what is stuck owed again."""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q

from apps.budgets.domain.sentences import SPENT_CODE
from apps.catalog.connections.queries.providers import model_spec
from apps.connectors.llms.base import ModelSpec
from apps.core.errors import Conflict, NotFound, RatibaError
from apps.evaluations.domain.states import EVALUATION_ACTIVE, EvaluationStatus, JudgementStatus
from apps.evaluations.judging.services.completion import finish_evaluations, reopen_evaluation
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.signals import run_reconciled, stuck_runs
from apps.jobs.services.cool_downs import end_cool_downs
from apps.runs.domain.states import CONVERSATION_TERMINAL
from apps.runs.models import TestRun
from apps.runs.playing.queries.progress import unfinished_runs
from apps.runs.playing.services.control import reconcile_run

_OWED_AGAIN: dict[str, Any] = {
    "status": JudgementStatus.PENDING,
    "attempts": 0,
    "error_code": "",
    "error_message": "",
    "raw_reply": "",
    "judged_at": None,
    "second_chances": 1,
}


def reconcile(*, run_id: uuid.UUID, now: datetime) -> int:
    """Recompute a run and its evaluations; returns how many conversations and judgements are owed again.

    Leases of lost workers are dropped; what waits for a model is tried again now; evaluations the watchdog closed go
    on, or complete where everything was judged meanwhile; a conversation that is played again is judged again when it
    has ended. Raises NotFound. Safe to repeat; pays nothing itself: workers do.
    """
    requeued = reconcile_run(run_id=run_id, now=now)
    evaluations = Evaluation.objects.filter(run_id=run_id)
    pending = Judgement.objects.filter(evaluation__run_id=run_id, status=JudgementStatus.PENDING)
    stuck = pending.filter(Q(lease_expires_at__lt=now) | Q(evaluation__status=EvaluationStatus.TIMEOUT)).count()
    pending.filter(lease_expires_at__lt=now).update(lease_token=None, lease_expires_at=None)
    stuck += end_waits(run_id=run_id)
    for evaluation_id in list(evaluations.filter(status=EvaluationStatus.TIMEOUT).values_list("id", flat=True)):
        reopen_evaluation(evaluation_id=evaluation_id, now=now)
    _withdraw_not_judged(run_id=run_id, now=now)
    for evaluation_id in list(evaluations.filter(status__in=EVALUATION_ACTIVE).values_list("id", flat=True)):
        stuck += enqueue_judgements(evaluation_id=evaluation_id, now=now)
    finish_evaluations(now=now)
    freed: list[int] = [int(count or 0) for _, count in run_reconciled.send(sender=None, run_id=run_id, now=now)]
    return requeued + stuck + sum(freed)


def runs_to_reconcile(*, now: datetime) -> list[uuid.UUID]:
    """Return the runs that reconcile may help.

    They have not ended, the watchdog closed them, or other rooms still owe work of them. One query, and one for each
    room that listens.
    """
    others: list[Any] = [runs for _, runs in stuck_runs.send(sender=None, now=now)]
    return list(dict.fromkeys([*unfinished_runs(), *(run for some in others for run in some)]))


def _withdraw_not_judged(*, run_id: uuid.UUID, now: datetime) -> None:
    """Delete `not_judged` of conversations that are being played again, and open their evaluations."""
    premature = Judgement.objects.filter(evaluation__run_id=run_id, status=JudgementStatus.NOT_JUDGED).exclude(
        conversation__status__in=CONVERSATION_TERMINAL
    )
    evaluations = set(premature.values_list("evaluation_id", flat=True))
    premature.delete()
    _run_again(evaluations, now)


def requeue_errors(*, run_id: uuid.UUID, now: datetime) -> int:
    """Judge again what ended in parse_error or model_error in a run; return how many.

    Scores are final and stay. Judgements that wait for a model are tried again now, and not counted. Their evaluations
    run again. Safe to repeat.
    """
    return _owe_errors(Q(evaluation__run=run_id), runs=[run_id], now=now)


def requeue_evaluations(*, evaluation_ids: Collection[uuid.UUID], now: datetime) -> int:
    """Judge the errors of these evaluations again, as `requeue_errors` does; return how many."""
    runs = Evaluation.objects.filter(pk__in=evaluation_ids).order_by().values_list("run_id", flat=True).distinct()
    return _owe_errors(Q(evaluation__in=evaluation_ids), runs=list(runs), now=now)


def _owe_errors(which: Q, *, runs: Collection[uuid.UUID], now: datetime) -> int:
    errored = Judgement.objects.filter(
        which, status__in=[JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR]
    ).exclude(evaluation__status=EvaluationStatus.CANCELLED)
    evaluations = set(errored.values_list("evaluation_id", flat=True))
    count = errored.update(**_OWED_AGAIN)
    for run_id in runs:
        end_waits(run_id=run_id)
    _run_again(evaluations, now)
    return count


def requeue_judgement(*, evaluation_id: uuid.UUID, conversation_id: uuid.UUID, now: datetime) -> None:
    """Judge one judgement again that ended in parse_error or model_error. Safe to repeat.

    Raises NotFound; Conflict (`final`) for what was scored, cancelled, or is not an error.
    """
    rows = Judgement.objects.filter(evaluation=evaluation_id, conversation=conversation_id)
    if not rows.exists():
        raise NotFound(f"Conversation {conversation_id} is not in evaluation {evaluation_id}.")
    errored = rows.filter(status__in=[JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR])
    if not errored.exclude(evaluation__status=EvaluationStatus.CANCELLED).update(**_OWED_AGAIN):
        raise Conflict(
            "Only a judgement that ended in an error is judged again: a score is final, and a cancelled evaluation "
            "stays as it is.",
            code="final",
        )
    _run_again({evaluation_id}, now)


def end_waits(*, run_id: uuid.UUID) -> int:
    """Let judgements that wait for a model be tried now, by all workers; return how many.
    Those that wait for money go on waiting."""
    end_cool_downs(_models_of(run_id))
    waiting = Judgement.objects.filter(
        evaluation__run_id=run_id, status=JudgementStatus.PENDING, not_before__isnull=False
    )
    return waiting.exclude(error_code=SPENT_CODE).update(not_before=None, waiting_for="")


def _models_of(run_id: uuid.UUID) -> list[ModelSpec]:
    """Every model that this run's simulator and evaluations may ask. Two queries, and those of each model."""
    plans = TestRun.objects.filter(pk=run_id, plan__has_key="simulator").values_list("plan__simulator", flat=True)
    judges = Evaluation.objects.filter(run_id=run_id).exclude(status=EvaluationStatus.COMPLETED)
    every = [role for judge in judges.values_list("snapshot__llm_config", flat=True) for role in (judge or {}).values()]
    roles = [role for plan in [*every, *plans] if plan for role in (plan, plan.get("fallback")) if role]
    specs: list[ModelSpec] = []
    for provider, model in sorted({(role["provider"], role["model"]) for role in roles}):
        try:
            specs.append(model_spec(provider, model))
        except RatibaError:
            continue  # a provider that is gone limits nobody
    return specs


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
