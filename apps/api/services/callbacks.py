"""Callbacks as rows: one per event of an evaluation, written by pulling; sent again when a person wants it."""

import uuid
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.functions import Concat

from apps.api.domain.states import CallbackStatus
from apps.api.models import Callback
from apps.core.digest import canonical_json
from apps.core.errors import Conflict, NotFound
from apps.core.timestamps import format_timestamp
from apps.evaluations.domain.states import EVALUATION_TERMINAL, AnalysisStatus, EvaluationStatus
from apps.evaluations.models import Evaluation
from apps.improvement.models import Analysis
from apps.improvement.queries.analyses import evaluation_with_analysis

AT_ONCE = 50
TOLD = (
    "id", "test_run_id", "evaluator_config", "status", "error_code", "triggered_by", "counts", "weighted_score",
    "pass_rate", "decision",
)  # fmt: skip


def enqueue_callbacks(*, now: datetime) -> int:
    """Write the row of every event that was asked for and has none; returns how many. Safe to repeat and to race.

    An evaluation that asked for the analyzer is told of when its analysis has ended, so that it is there to be read.
    An event is the way an evaluation ended: evaluation.completed, .failed, .timeout or .cancelled. One that is taken up
    again and ends otherwise is another event. One query per 50, and some seven per evaluation that ended.
    """
    told = Callback.objects.filter(evaluation=OuterRef("pk"), event=Concat(Value("evaluation."), OuterRef("status")))
    read = Analysis.objects.filter(evaluation=OuterRef("pk"), automatic=True).exclude(status=AnalysisStatus.PENDING)
    unread = Q(run_analyzer=True, status=EvaluationStatus.COMPLETED) & ~Exists(read)
    ended = Evaluation.objects.filter(~Q(callback_url=""), ~Exists(told), ~unread, status__in=EVALUATION_TERMINAL)
    written = 0
    while found := list(ended.only("id", "status", "callback_url", "ended_at").order_by("ended_at")[:AT_ONCE]):
        rows = [_callback(evaluation, now) for evaluation in found]
        written += len(Callback.objects.bulk_create(rows, ignore_conflicts=True))
    return written


def _callback(evaluation: Evaluation, now: datetime) -> Callback:
    found = evaluation_with_analysis(evaluation.id)
    event = f"evaluation.{evaluation.status}"  # as it was found: it may be taken up again at this moment
    payload = {
        "type": event,
        "timestamp": format_timestamp(evaluation.ended_at or now),
        "data": {name: found[name] for name in TOLD} | {"status": evaluation.status, "analysis": found["analysis"]},
    }
    return Callback(
        evaluation_id=evaluation.id,
        event=event,
        webhook_id=f"msg_{uuid.uuid4().hex}",
        url=evaluation.callback_url,
        body=canonical_json(payload),
        not_before=now,
    )


def send_again(*, callback_id: uuid.UUID, now: datetime) -> None:
    """A person wants it sent again, whatever became of it: due now, with its schedule from the start and the same id.

    Raises NotFound, and Conflict while it is on its way. Safe to repeat.
    """
    rows = Callback.objects.filter(pk=callback_id)
    free = rows.filter(Q(lease_expires_at__isnull=True) | Q(lease_expires_at__lt=now))
    if not free.update(status=CallbackStatus.PENDING, attempts=0, not_before=now, delivered_at=None):
        if not rows.exists():
            raise NotFound(f"There is no callback {callback_id}.")
        raise Conflict("It is being sent at this moment.", code="in_progress")
