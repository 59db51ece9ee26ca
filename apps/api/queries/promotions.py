"""Show what a conversation became, as the API shows it."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.api.queries.scenarios import ScenarioDetailMustNot
from apps.core.documents import Count, Document, Id, Moment, StoredAs, one_of
from apps.core.shapes import described
from apps.core.timestamps import format_timestamp
from apps.production.promotion.services.candidates import find_promotion


class PromotionDetailResidue(Document):
    kind: str
    turn: Count


class PromotionDetailCleared(Document):
    by: str
    at: Moment


class PromotionDetailDocument(Document, component="PromotionDetail"):
    promotion_id: Id
    conversation_id: Id
    scenario_id: Id
    scenario: str
    status: Annotated[str, described("Of the scenario: candidate until a person releases or archives it.")]
    masking: Annotated[str, one_of(["clean", "blocked", "cleared"])]
    residues: Annotated[
        Sequence[PromotionDetailResidue],
        described("Where masking may have left something; its words stand on its page alone."),
    ]
    cleared: PromotionDetailCleared | None
    must_not: Sequence[Annotated[Mapping[str, Any], StoredAs(ScenarioDetailMustNot)]]
    signals: Annotated[Sequence[Mapping[str, Any]], described("Why it is here: kind, text, at.")]
    transcript: Annotated[Sequence[Mapping[str, Any]], described("What was said, masked: role, content, tool_calls.")]
    persona: Annotated[str, described("A draft of who the customer is.")]
    drafted_by: str
    draft_note: str
    promoted_by: str
    created_at: Moment


def promotion_document(promotion_id: uuid.UUID) -> PromotionDetailDocument:
    """Return a promotion with its masked transcript.
    Residues of masking are given by kind and turn, not in words. Raises NotFound. One query."""
    row = find_promotion(promotion_id)
    cleared = PromotionDetailCleared(by=row.cleared_by, at=format_timestamp(row.cleared_at)) if row.cleared_at else None
    return PromotionDetailDocument(
        promotion_id=str(row.pk),
        conversation_id=str(row.conversation_id),
        scenario_id=str(row.scenario_id),
        scenario=row.scenario.slug,
        status=row.scenario.status,
        masking=row.masking,
        residues=[PromotionDetailResidue(kind=residue["kind"], turn=residue["turn"]) for residue in row.residues],
        cleared=cleared,
        must_not=row.scenario.must_not,
        signals=row.signals,
        transcript=row.transcript,
        persona=row.persona,
        drafted_by=row.drafted_by,
        draft_note=row.draft_note,
        promoted_by=row.promoted_by,
        created_at=format_timestamp(row.created_at),
    )
