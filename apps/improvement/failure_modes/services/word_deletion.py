"""Delete texts made of real conversations whose words are deleted: answers and proposals may repeat those words."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import QuerySet

from apps.improvement.failure_modes.domain.states import ModeStatus
from apps.improvement.failure_modes.models import FailureMode, ModeNote
from apps.improvement.playground.models import Playground


def delete_words(*, conversation_ids: Collection[UUID]) -> None:
    """Delete the playgrounds of these conversations with their answers.

    The failure modes that a model proposed of notes beside them and nobody named go too. Some four statements, in the
    caller's transaction. Safe to repeat.
    """
    Playground.objects.filter(conversation_id__in=conversation_ids).delete()
    proposed = FailureMode.objects.filter(status__in=(ModeStatus.PROPOSED, ModeStatus.REJECTED))
    noted = ModeNote.objects.filter(note__conversation__in=conversation_ids).values("mode")
    delete_proposals(proposed.filter(pk__in=noted))


def delete_proposals(rows: QuerySet[FailureMode]) -> None:
    """Delete proposed modes in the caller's transaction.

    Each is locked first and read again: one that a person names at this moment stays.
    """
    held = list(rows.select_for_update().values_list("pk", flat=True))
    FailureMode.objects.filter(pk__in=held).delete()
