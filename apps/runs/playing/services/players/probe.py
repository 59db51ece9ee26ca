"""A persona tried out before it may play."""

from dataclasses import dataclass, replace

from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.registry import agent_for
from apps.runs.playing.services.players.battle import BattlePlayer
from apps.runs.services.conversation_player import PlayResult


@dataclass(slots=True, kw_only=True)
class ProbePlayer(BattlePlayer):
    """A battle outside every score, against the agent that the spec's `script` makes.

    See connectors.agents.scripted. Judging leaves conversations of this kind out.
    """

    async def play_on(self) -> PlayResult:
        script = AgentSpec(kind="scripted", address="", options=self.spec["script"])
        self.participants = replace(self.participants, agent=agent_for(script))
        return await BattlePlayer.play_on(self)
