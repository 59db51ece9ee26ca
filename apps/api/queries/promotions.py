"""What a conversation became, as the API shows it."""

import uuid
from typing import Any

from apps.core.timestamps import format_if_known
from apps.production.promotion.services.candidates import find_promotion


def promotion_document(promotion_id: uuid.UUID) -> dict[str, Any]:
    """One promotion with its masked transcript; what masking may have left is said without its words. Raises NotFound.
    One query."""
    row = find_promotion(promotion_id)
    cleared = {"by": row.cleared_by, "at": format_if_known(row.cleared_at)} if row.cleared_at else None
    return {
        "promotion_id": str(row.pk),
        "conversation_id": str(row.conversation_id),
        "scenario_id": str(row.scenario_id),
        "scenario": row.scenario.slug,
        "status": row.scenario.status,
        "masking": row.masking,
        "residues": [{"kind": residue["kind"], "turn": residue["turn"]} for residue in row.residues],
        "cleared": cleared,
        "must_not": row.scenario.must_not,
        "signals": row.signals,
        "transcript": row.transcript,
        "persona": row.persona,
        "drafted_by": row.drafted_by,
        "draft_note": row.draft_note,
        "promoted_by": row.promoted_by,
        "created_at": format_if_known(row.created_at),
    }
