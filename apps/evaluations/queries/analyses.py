"""Reading analyses."""

import uuid
from collections.abc import Mapping
from typing import Any

from apps.evaluations.domain.evidence import Kind
from apps.evaluations.models import Analysis


def analysis_document(row: Analysis) -> dict[str, Any]:
    """One analysis as the API shows it: findings with their evidence, believable ones first."""
    return {
        "id": str(row.pk),
        "evaluation_id": str(row.evaluation_id),
        "status": row.status,
        "automatic": row.automatic,
        "findings": [{"support": _support(one), **one} for one in row.findings],
        "notes": row.notes,
        "conversations_read": row.read,
        "conversations_failing": row.failing,
        "parts": row.parts,
        "provider": row.provider,
        "model": row.model,
        "waiting_for": row.waiting_for,
        "error_message": row.error_message,
        "created_at": row.created_at.isoformat(),
        "ended_at": row.ended_at.isoformat() if row.ended_at else None,
    }


def latest_analysis(evaluation_id: uuid.UUID) -> Analysis | None:
    """The newest one, whatever its state. One query."""
    return Analysis.objects.filter(evaluation_id=evaluation_id).order_by("-created_at").first()


def _support(finding: Mapping[str, Any]) -> str:
    """Of a finding stored before patterns were told apart: only what had a quote was believed."""
    return Kind.UNVERIFIED if finding["doubts"] else Kind.EXACT
