"""Rows of a replay that was played and judged, for tests of what is exported of them."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from apps.budgets.models import ModelCall
from apps.catalog.models import EvaluatorConfigVersion
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.runs.models import Conversation, TestRun, Turn


def played(at: datetime, *, replies: tuple[str, ...] = ("Karibu",), kind: str = "replay", **more: Any) -> Conversation:
    """A conversation that began a minute before `at` and ended then; of its own run."""
    run = TestRun.objects.create(
        kind=kind, status="completed", progress_at=at, ended_at=at,
        subject={"agent": "booking", "prompt_version": "booking@a1b2c3d", "label": "PR 12"},
    )  # fmt: skip
    row = Conversation.objects.create(
        **{
            "run": run, "position": 0, "external_id": "one", "kind": kind, "status": "pending", "attempt": 1,
            "spec": {"golden_session": "braids"}, "started_at": at - timedelta(minutes=1), "ended_at": at, **more,
        }
    )  # fmt: skip
    for n, reply in enumerate(replies):
        _turn(row, 2 * n, "user", "Wanjiku here, 0712 345 678", at)
        _turn(row, 2 * n + 1, "assistant", reply, at, latency_ms=400, extra={"usage": {"model": "m-agent"}})
    Conversation.objects.filter(pk=row.pk).update(status=more.get("status", "ended"))
    call(row, "gate", "0.002", at)
    row.refresh_from_db()
    return row


def call(row: Conversation, purpose: str, usd: str | None, at: datetime, **more: Any) -> ModelCall:
    found = ModelCall.objects.create(
        purpose=purpose, provider="ours", requested_model="m", model="m-1", outcome="ok", input_tokens=10,
        output_tokens=5, cost_usd=None if usd is None else Decimal(usd), latency_ms=250, run_id=row.run_id,
        conversation_id=row.pk, **more,
    )  # fmt: skip
    ModelCall.objects.filter(pk=found.pk, outcome="open").update(created_at=at)
    return found


def judged(row: Conversation, config: str, at: datetime, **more: Any) -> Judgement:
    name, _, number = config.partition("@")
    version = EvaluatorConfigVersion.objects.get(config__name=name, number=int(number))
    evaluation = Evaluation.objects.create(
        run=row.run, config_version=version, config_ref=config, snapshot={}, status="completed", progress_at=at
    )
    found = Judgement.objects.create(
        **{
            "evaluation": evaluation, "conversation": row, "status": "scored", "weighted_score": 7.5, "model": "m-1",
            "fingerprint": "f" * 64, "judged_at": at, **more,
        }
    )  # fmt: skip
    CriterionScore.objects.create(
        judgement=found, criterion="tone", position=0, status="scored", score=7.5, weight=1.0, pass_mark=6.0,
        reason="She gave 0712 345 678 and was greeted.",
    )  # fmt: skip
    call(row, "judge", "0.01", at, evaluation_id=evaluation.pk)
    return found


def _turn(row: Conversation, position: int, role: str, content: str, at: datetime, **more: Any) -> None:
    purpose = "customer" if role == "user" else "agent"
    Turn.objects.create(
        conversation=row, attempt=row.attempt, position=position, purpose=purpose, role=role, content=content,
        ts=at - timedelta(seconds=50 - position), **more,
    )  # fmt: skip
