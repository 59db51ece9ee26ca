"""Tell whether a probe dialogue waits for a player."""

from apps.runs.domain.states import ConversationStatus, Kind
from apps.runs.models import Conversation


def probes_to_play() -> bool:
    """Tell whether any has not been begun. One query."""
    return bool(Conversation.objects.filter(kind=Kind.PROBE, status=ConversationStatus.PENDING).exists())
