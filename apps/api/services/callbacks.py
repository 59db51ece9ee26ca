"""Callbacks: one delivery per event of an evaluation, written by pulling; its body is built when it is sent."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.functions import Concat

from apps.api.models import CALLBACK, Callback
from apps.core.digest import canonical_json
from apps.core.documents import as_json
from apps.core.timestamps import format_timestamp
from apps.evaluations.domain.states import EVALUATION_TERMINAL, AnalysisStatus, EvaluationStatus
from apps.evaluations.models import Evaluation
from apps.improvement.analysis.queries.analyses import analysis_of
from apps.improvement.models import Analysis
from apps.jobs.models import OutboundDelivery
from apps.reports.results.queries.evaluation_document import evaluation_figures

AT_ONCE = 50
CALLBACK_FIELDS = (
    "id",
    "test_run_id",
    "evaluator_config",
    "status",
    "error_code",
    "triggered_by",
    "counts",
    "weighted_score",
    "pass_rate",
    "decision",
)


def enqueue_callbacks(*, now: datetime) -> int:
    """Create a delivery for each requested event that has none; return how many.

    An event is the end of an evaluation: evaluation.completed, .failed, .timeout or .cancelled; one that is resumed and
    ends otherwise is a new event. With `run_analyzer`, a completed evaluation is reported once its analysis has ended.
    Safe to repeat and to race. Two queries per 50.
    """
    callbacks = Callback.objects.filter(
        subject_id=OuterRef("pk"), event=Concat(Value("evaluation."), OuterRef("status"))
    )
    read = Analysis.objects.filter(evaluation=OuterRef("pk"), automatic=True).exclude(status=AnalysisStatus.PENDING)
    unread = Q(run_analyzer=True, status=EvaluationStatus.COMPLETED) & ~Exists(read)
    ended = Evaluation.objects.filter(~Q(callback_url=""), ~Exists(callbacks), ~unread, status__in=EVALUATION_TERMINAL)
    written = 0
    while batch := list(ended.only("id", "status", "ended_at").order_by("ended_at")[:AT_ONCE]):
        rows = [
            OutboundDelivery(kind=CALLBACK, subject_id=one.id, event=f"evaluation.{one.status}", not_before=now)
            for one in batch
        ]
        written += len(OutboundDelivery.objects.bulk_create(rows, ignore_conflicts=True))
    return written


def callback_body(evaluation: Evaluation, event: str, now: datetime) -> bytes:
    """Return the body of an event's callback: the evaluation's result in figures.

    No word of the conversations is in it. One query, two with an analysis, and those of figures that are not stored.
    The event says how the evaluation ended then: it may have been resumed since.
    """
    summary = evaluation_figures(evaluation)
    payload = {
        "type": event,
        "timestamp": format_timestamp(evaluation.ended_at or now),
        "data": {name: summary[name] for name in CALLBACK_FIELDS}
        | {"status": event.removeprefix("evaluation."), "analysis": as_json(analysis_of(evaluation))},
    }
    return canonical_json(payload).encode()
