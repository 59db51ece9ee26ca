"""The result of an erasure, as it may be shown to people who may ask for it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from apps.core.errors import NotFound
from apps.erasure.domain.erasure_states import ErasureStatus
from apps.erasure.models import Erasure
from apps.erasure.queries.nodes import OtherNodes, nodes_without
from apps.production.langfuse.queries.deletions import deletions_document

_UNFINISHED = (ErasureStatus.FOUND, ErasureStatus.ERASED)


def find_erasure(erasure_id: UUID) -> Erasure:
    """Return the erasure with this id. Raises NotFound."""
    row = Erasure.objects.filter(pk=erasure_id).first()
    if row is None:
        raise NotFound(f"There is no erasure {erasure_id}.")
    return row


def receipt_document(row: Erasure, *, now: datetime) -> dict[str, Any]:
    """Return the counts of an erasure, and the machines whose files and logs they are of.

    `nodes` answered, `nodes_open` did not yet (a dry run looks at one machine alone), `nodes_gone` were silent for a
    day. Empty before anything was done. One query.
    """
    receipt = dict(row.receipt or {})
    if not receipt:
        return {}
    answered, gone = receipt.get("nodes", ()), receipt.get("nodes_gone", ())
    others = nodes_without(answered, now=now) if row.status in _UNFINISHED else OtherNodes(live=(), silent=tuple(gone))
    return {**receipt, "nodes": len(answered), "nodes_open": list(others.live), "nodes_gone": list(others.silent)}


def erasure_document(erasure_id: UUID) -> dict[str, Any]:
    """State and counts; nothing of whom it was. Three queries at most. Raises NotFound."""
    row = find_erasure(erasure_id)
    receipt = receipt_document(row, now=timezone.now())
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
