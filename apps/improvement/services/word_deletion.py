"""What was made of real conversations whose words are deleted: answers and proposals may repeat what was said."""

from collections.abc import Collection
from uuid import UUID

from apps.improvement.domain.failure_mode_states import ModeStatus
from apps.improvement.models import FailureMode, Playground


def delete_words(*, conversation_ids: Collection[UUID]) -> None:
    """The playgrounds of these conversations with their answers, and the failure modes that a model proposed of notes
    beside them and nobody named. Some four statements, in the caller's transaction. Safe to repeat."""
    Playground.objects.filter(conversation_id__in=conversation_ids).delete()
    proposed = FailureMode.objects.filter(status__in=(ModeStatus.PROPOSED, ModeStatus.REJECTED))
    proposed.filter(notes__note__conversation__in=conversation_ids).delete()
