"""What came of an erasure, as it may be shown to whoever may ask."""

from typing import Any
from uuid import UUID

from apps.core.errors import NotFound
from apps.erasure.models import Erasure
from apps.production.queries.langfuse_deletions import deletions_document


def find_erasure(erasure_id: UUID) -> Erasure:
    """Raises NotFound."""
    row = Erasure.objects.filter(pk=erasure_id).first()
    if row is None:
        raise NotFound(f"There is no erasure {erasure_id}.")
    return row


def erasure_document(erasure_id: UUID) -> dict[str, Any]:
    """State and counts; nothing of whom it was. Two queries at most. Raises NotFound."""
    row = find_erasure(erasure_id)
    receipt = dict(row.receipt or {})
    deletions = deletions_document(receipt.pop("langfuse", ()))
    return {
        "id": str(row.pk),
        "status": row.status,
        "dry_run": row.dry_run,
        "requested_by": row.requested_by,
        "requested_at": row.requested_at.isoformat(),
        "erased_at": row.erased_at.isoformat() if row.erased_at else None,
        "completed_at": row.ended_at.isoformat() if row.ended_at else None,
        "receipt": receipt or None,
        "langfuse": deletions,
        "error": row.error_message or None,
    }
