"""Summaries of reports, as they are shown."""

import uuid
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from apps.core.digest import sha256_hex
from apps.core.timestamps import format_timestamp
from apps.evaluations.models import Evaluation
from apps.jobs.domain.work_states import WorkStatus
from apps.reports.models import ReportSummary

NO_REPORT: Mapping[str, Any] = MappingProxyType({})
_MOVED_BY_WRITING = frozenset({"digest", "cost_usd", "known_cost_usd", "model_calls", "calls_without_price"})


def newest_summary(run_id: uuid.UUID) -> ReportSummary | None:
    """The one asked for last. One query."""
    return ReportSummary.objects.filter(run=run_id).order_by("-created_at").first()


def basis_digest(run_id: uuid.UUID, report: Mapping[str, Any]) -> str:
    """Digest everything that a summary is written of.

    It is the report without its cost, since writing the summary is paid too, and the state of the run's evaluations.
    One query.
    """
    basis = {name: one for name, one in report.items() if name not in _MOVED_BY_WRITING}
    rows = Evaluation.objects.filter(run=run_id).order_by("id").values_list("pk", "status", "figures_version")
    return sha256_hex({"report": sha256_hex(basis), "evaluations": [[str(pk), *more] for pk, *more in rows]})


def summary_document(run_id: uuid.UUID, *, report: Mapping[str, Any] = NO_REPORT) -> dict[str, Any] | None:
    """The newest summary of a run; `current`: it was written, and nothing that it was written of has changed since.
    Two queries."""
    row = newest_summary(run_id)
    if row is None:
        return None
    written = row.status == WorkStatus.COMPLETED
    return {
        "id": str(row.pk),
        "status": row.status,
        "current": written and row.report_digest == basis_digest(run_id, report),
        "sentences": row.sentences,
        "left_out": row.left_out,
        "model": row.model,
        "waiting_for": row.waiting_for,
        "error": row.error_message,
        "requested_by": row.requested_by,
        "created_at": format_timestamp(row.created_at),
        "ended_at": format_timestamp(row.ended_at) if row.ended_at else None,
    }
