"""Summaries of reports, as they are shown."""

import uuid
from typing import Any

from apps.core.timestamps import format_timestamp
from apps.reports.models import ReportSummary


def newest_summary(run_id: uuid.UUID) -> ReportSummary | None:
    """The one asked for last. One query."""
    return ReportSummary.objects.filter(run=run_id).order_by("-created_at").first()


def summary_document(run_id: uuid.UUID, *, digest: str) -> dict[str, Any] | None:
    """The newest summary of a run; `current`: it was written of the report with this digest. One query."""
    row = newest_summary(run_id)
    if row is None:
        return None
    return {
        "id": str(row.pk),
        "status": row.status,
        "current": row.report_digest == digest,
        "sentences": row.sentences,
        "left_out": row.left_out,
        "model": row.model,
        "waiting_for": row.waiting_for,
        "error": row.error_message,
        "requested_by": row.requested_by,
        "created_at": format_timestamp(row.created_at),
        "ended_at": format_timestamp(row.ended_at) if row.ended_at else None,
    }
