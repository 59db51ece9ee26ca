"""The status of a run or an evaluation: constant queries, cheap enough to poll."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Min, Q

from apps.core.errors import NotFound
from apps.evaluations.domain.states import EVALUATION_ACTIVE, JudgementStatus
from apps.evaluations.domain.waiting import Wait, Work, progress, waiting_for
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.domain.states import CONVERSATION_TERMINAL, ConversationStatus, Kind, RunStatus
from apps.runs.models import Conversation, TestRun
from apps.runs.queries.progress import conversation_counts, find_run


def run_status(run_id: uuid.UUID, *, now: datetime) -> dict[str, Any]:
    """The body of GET /test-runs/{id}/status/. Six queries at most, whatever the size. Raises NotFound."""
    run = find_run(run_id)
    evaluations: Any = list(Evaluation.objects.filter(run=run).order_by("id").values("id", "status"))
    return _status(run, evaluations, str(run.status), now)


def evaluation_status(evaluation_id: uuid.UUID, *, now: datetime) -> dict[str, Any]:
    """The same of one evaluation: `status` is the evaluation's, `progress` its own share. Raises NotFound."""
    row = Evaluation.objects.select_related("run").only("id", "status", "run").filter(pk=evaluation_id).first()
    if row is None:
        raise NotFound(f"There is no evaluation {evaluation_id}.")
    return _status(row.run, [{"id": row.id, "status": row.status}], row.status, now)


def _status(run: TestRun, evaluations: list[dict[str, Any]], status: str, now: datetime) -> dict[str, Any]:
    counts = conversation_counts(run.id)
    active = [item["id"] for item in evaluations if item["status"] in EVALUATION_ACTIVE]
    conversations = sum(counts.values())
    played = sum(counts[state.value] for state in CONVERSATION_TERMINAL)
    judged = _judged(run, active) if active else 0
    owed = conversations * len(evaluations)
    done = played + conversations * (len(evaluations) - len(active)) + judged
    paused = run.status == RunStatus.PAUSED
    open_ones = counts[ConversationStatus.PENDING.value] + counts[ConversationStatus.RUNNING.value]
    playing = _work(_conversations(run), open_ones, now) if open_ones else Work(busy=0, queued=0)
    left = played * len(active) - judged  # judgements of conversations that have ended
    judging = _work(_judgements(active), left, now) if left > 0 else Work(busy=0, queued=0)
    return {
        "status": status,
        "conversations": counts,
        "evaluations": [{"id": str(item["id"]), "status": str(item["status"])} for item in evaluations],
        "progress": progress(done=done, total=conversations + owed),
        "waiting_for": waiting_for(paused=paused, played=playing, judged=judging, now=now),
    }


def _judged(run: TestRun, active: list[Any]) -> int:
    return Judgement.objects.filter(evaluation_id__in=active).exclude(status=JudgementStatus.PENDING).count()


def _conversations(run: TestRun) -> Any:
    rows = Conversation.objects.filter(run=run).exclude(kind=Kind.PROBE)
    return rows.filter(status__in=[ConversationStatus.PENDING, ConversationStatus.RUNNING])


def _judgements(active: Iterable[Any]) -> Any:
    return Judgement.objects.filter(evaluation_id__in=active, status=JudgementStatus.PENDING)


def _work(rows: Any, total: int, now: datetime) -> Work:
    """One query: who is busy, and what the waiting ones wait for."""
    kinds = (
        rows.annotate(reason=F("waiting_for"))
        .values("reason")
        .annotate(
            busy=Count("id", filter=Q(lease_expires_at__gt=now)),
            waiting=Count("id", filter=Q(not_before__gt=now)),
            until=Min("not_before", filter=Q(not_before__gt=now)),
        )
        .order_by("reason")
    )
    busy, waits = 0, []
    for row in kinds:
        busy += row["busy"]
        if row["waiting"]:
            waits.append(Wait(reason=row["reason"] or "waiting", count=row["waiting"], until=row["until"]))
    return Work(busy=busy, queued=max(0, total - busy - sum(wait.count for wait in waits)), waits=waits)
