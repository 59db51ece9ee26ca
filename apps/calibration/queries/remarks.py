"""People's remarks beside a conversation: notes, and scores they disagree with."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from apps.calibration.models import ConversationNote, NonBlindLabel
from apps.calibration.queries.labels import raters_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """Remarks on a conversation. `disagreements` are by criterion, the last of each person; `notes` oldest first."""

    disagreements: Mapping[str, Sequence[NonBlindLabel]]
    notes: Sequence[ConversationNote]


def remarks_of(conversation_id: uuid.UUID, *, judgement_id: uuid.UUID | None, reader: str) -> Remarks:
    """Return the remarks as this person may read them. Two queries."""
    rows = NonBlindLabel.objects.filter(judgement=judgement_id).order_by("criterion", "rater", "-created_at")
    by_criterion: dict[str, list[NonBlindLabel]] = {}
    for row in rows.distinct("criterion", "rater"):
        by_criterion.setdefault(row.criterion, []).append(row)
    notes = readable_notes(reader=reader).filter(conversation=conversation_id).order_by("created_at")
    return Remarks(disagreements=by_criterion, notes=list(notes))


def readable_notes(*, reader: str = "") -> QuerySet[ConversationNote]:
    """Return the notes that may be read.

    One that was written while rating may be read only once its conversation has all its ratings: a reader may be the
    next to rate, and has to be blind. `reader` reads their own before. No query of its own.
    """
    may = Q(item=None) | Q(raters__gte=F("item__round__raters_wanted"))
    if reader:
        may |= Q(author=reader)
    return ConversationNote.objects.annotate(raters=raters_of("item")).filter(may)
