"""Conversations that are this worker's no more: their players stop, and clean up where it was a cancellation."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from apps.runs.domain.states import ConversationStatus
from apps.runs.models import Conversation


@dataclass(slots=True)
class LostConversations:
    """What one worker lost to a cancellation, or to another worker; asked by players without a query."""

    _lost: set[str] = field(default_factory=set)
    _cancelled: set[str] = field(default_factory=set)

    def add(self, ids: Collection[Any]) -> None:
        """These are no more this worker's. One query; none for no ids."""
        if ids:
            rows = Conversation.objects.filter(pk__in=list(ids), status=ConversationStatus.CANCELLED)
            self._cancelled |= {str(key) for key in rows.values_list("pk", flat=True)}
            self._lost |= {str(key) for key in ids}

    def __contains__(self, key: str) -> bool:
        return key in self._lost

    def by_cancellation(self, key: str) -> bool:
        """Whether the run was cancelled, and nobody plays on."""
        return key in self._cancelled
