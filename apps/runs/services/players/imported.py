"""A conversation brought in from elsewhere."""

from dataclasses import dataclass

from apps.runs.domain.states import EndReason
from apps.runs.services.conversation_player import ConversationPlayer, PlayResult, ended


@dataclass(slots=True, kw_only=True)
class ImportPlayer(ConversationPlayer):
    """Nothing is left to play: its turns came with it, and the agent hears nothing."""

    async def play_on(self) -> PlayResult:
        return ended(EndReason.IMPORTED)
