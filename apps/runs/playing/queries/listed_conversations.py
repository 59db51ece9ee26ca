"""Conversations as they are offered to people who asked for none in particular."""

from django.db.models import QuerySet

from apps.runs.conversations.models import Conversation
from apps.runs.domain.kind_traits import CONVERSATION_LIST


def listed_conversations() -> QuerySet[Conversation]:
    """Return the conversations that lists show, chosen by their own kind and by their run's.

    They are offered to try a judge on.
    """
    return Conversation.objects.filter(kind__in=CONVERSATION_LIST, run__kind__in=CONVERSATION_LIST)
