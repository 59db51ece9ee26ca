"""Fixes that a model was asked for, as the API and the pages show them."""

import uuid
from typing import Any

from apps.core.errors import NotFound
from apps.core.timestamps import format_if_known
from apps.improvement.drafts.models import FixProposal


def find_proposal(proposal_id: uuid.UUID) -> FixProposal:
    """The row with its prompt and draft. One query. Raises NotFound."""
    row = FixProposal.objects.select_related("line", "draft__version").filter(pk=proposal_id).first()
    if row is None:
        raise NotFound(f"There is no proposal with the id {proposal_id}.")
    return row


def proposal_document(row: FixProposal) -> dict[str, Any]:
    """Build the document of a proposal: its state and its result. No query where the row came from `find_proposal`."""
    return {
        "id": str(row.pk),
        "analysis_id": str(row.analysis_id),
        "finding_number": row.finding_number,
        "name": row.line.name,
        "status": row.status,
        "draft_id": None if row.draft_id is None else str(row.draft_id),
        "draft_status": None if row.draft_id is None else row.draft.status,
        "proposer": {"provider": row.proposer.get("provider", ""), "model": row.proposer.get("model", "")},
        "warnings": row.warnings,
        "waiting_for": row.waiting_for,
        "error_message": row.error_message,
        "requested_by": row.requested_by,
        "created_at": format_if_known(row.created_at),
        "ended_at": format_if_known(row.ended_at),
    }


def newest_proposals(analysis_id: uuid.UUID) -> dict[int, FixProposal]:
    """The newest proposal of each finding that has one, by its number. One query."""
    rows = FixProposal.objects.select_related("draft").filter(analysis=analysis_id, finding_number__isnull=False)
    return {row.finding_number: row for row in rows.order_by("created_at", "id") if row.finding_number}
