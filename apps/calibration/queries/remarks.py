"""What people said beside a conversation: notes, and scores they disagree with."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.calibration.models import ConversationNote, NonBlindLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """`disagreements` by criterion, the last of each person; `notes` oldest first."""

    disagreements: Mapping[str, Sequence[NonBlindLabel]]
    notes: Sequence[ConversationNote]


def remarks_of(conversation_id: uuid.UUID, *, judgement_id: uuid.UUID | None) -> Remarks:
    """Two queries."""
    rows = NonBlindLabel.objects.filter(judgement=judgement_id).order_by("criterion", "rater", "-created_at")
    found: dict[str, list[NonBlindLabel]] = {}
    for row in rows.distinct("criterion", "rater"):
        found.setdefault(row.criterion, []).append(row)
    notes = ConversationNote.objects.filter(conversation=conversation_id).order_by("created_at")
    return Remarks(disagreements=found, notes=list(notes))
