"""The user turns of a golden session, said again."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.conversation import TurnRole, Utterance
from apps.runs.domain.states import EndReason
from apps.runs.services.conversation_player import HANDED_OVER, ConversationPlayer, PlayResult, ended


@dataclass(slots=True, kw_only=True)
class ReplayPlayer(ConversationPlayer):
    """Line by line, whatever the agent answers."""

    async def play_on(self) -> PlayResult:
        lines: Sequence[str] = [str(line) for line in self.spec["user_turns"]]
        said = sum(1 for turn in self.turns if turn.role == TurnRole.USER)
        if self.turns and self.turns[-1].role == TurnRole.USER:
            await self.agent_answers(self.turns[-1])
        for line in lines[said:]:
            if not self.wanted():
                return ended(EndReason.CANCELLED)  # nothing of it is stored any more
            if self.time_up():
                return HANDED_OVER
            turn = Utterance(role=TurnRole.USER, content=line, ts=self.clock())
            self.say(turn)
            reply = await self.agent_answers(turn)
            if reply.ended:
                return ended(EndReason.AGENT_CLOSED)
        return ended(EndReason.SCRIPT_ENDED)
