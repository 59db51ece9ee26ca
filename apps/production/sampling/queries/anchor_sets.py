"""Anchor sets as the API shows them."""

from typing import Any

from apps.production.sampling.domain.anchor_test import BASELINE
from apps.production.sampling.domain.states import GradingStatus
from apps.production.sampling.models import AnchorGrading, AnchorSet

MOST = 20  # sets, the newest


def anchor_documents() -> list[dict[str, Any]]:
    """Each set with its weeks, the newest set first. Two queries."""
    rows = list(AnchorSet.objects.order_by("-created_at")[:MOST])
    gradings: dict[Any, list[AnchorGrading]] = {row.pk: [] for row in rows}
    for anchor_grading in AnchorGrading.objects.filter(anchor_set__in=rows).order_by("number"):
        gradings[anchor_grading.anchor_set_id].append(anchor_grading)
    return [_document(row, gradings[row.pk]) for row in rows]


def _document(row: AnchorSet, gradings: list[AnchorGrading]) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "evaluator_config": row.evaluator_config,
        "status": row.status,
        "anchors": row.anchors,
        "frozen_at": row.created_at.isoformat(),
        "baseline_gradings": sum(
            grading.number <= BASELINE and grading.status == GradingStatus.DONE for grading in gradings
        ),
        "weeks": [_week(grading) for grading in gradings if grading.number > BASELINE],
    }


def _week(one: AnchorGrading) -> dict[str, Any]:
    found = one.result
    return {
        "week": one.number - BASELINE,
        "status": one.status,
        "evaluation_id": str(one.evaluation_id),
        "asked_at": one.created_at.isoformat(),
        "mover": found.get("mover", "not_asked"),
        "why": found.get("why", ""),
        "shift": found.get("shift"),
        "judge": found.get("judge"),
        "agent": found.get("agent"),
        "customers": found.get("customers"),
        "requests": found.get("requests", []),
        "requests_counted": found.get("requests_counted", False),
        "criteria": found.get("criteria", {}),
    }
