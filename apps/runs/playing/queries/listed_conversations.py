"""Conversations as they are offered to people who asked for none in particular."""

from django.db.models import QuerySet

from apps.runs.conversations.models import Conversation
from apps.runs.domain.kind_traits import CONVERSATION_LIST


def listed_conversations() -> QuerySet[Conversation]:
    """Those that stand in lists and are offered to try a judge on: by their own kind, and by that of their run."""
    return Conversation.objects.filter(kind__in=CONVERSATION_LIST, run__kind__in=CONVERSATION_LIST)
