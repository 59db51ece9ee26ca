"""What was tried on real conversations whose words are deleted: answers may repeat what the customer said."""

from collections.abc import Collection
from uuid import UUID

from apps.improvement.models import Playground


def delete_playground_words(*, conversation_ids: Collection[UUID]) -> None:
    """The playgrounds of these conversations, with their answers. Two statements, in the caller's transaction. Safe to
    repeat."""
    Playground.objects.filter(conversation_id__in=conversation_ids).delete()
