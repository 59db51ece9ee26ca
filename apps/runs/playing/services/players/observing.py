"""Observe a replay once its last turn was answered: the case it worked on, and the agents that worked in it."""

from typing import Any

from apps.connectors.agents.capabilities import ClosesConversations, ObservesCases
from apps.connectors.errors import ConnectorError
from apps.core.events import EventType, log_event
from apps.runs.services.conversation_player import ConversationPlayer, TurnBatch


async def observe_and_close(player: ConversationPlayer) -> None:
    """Read the case, where the transport can do that, then close the conversation at the agent.

    No error of either step fails the replay. A case that could not be read leaves its checks unmeasurable.
    """
    agent = player.participants.agent
    if isinstance(agent, ObservesCases):
        try:
            seen = await agent.observe(player.session, player.client)
        except ConnectorError as error:
            observed: dict[str, Any] = {"error": str(error)[:500]}
        else:
            observed = {
                "case": dict(seen.case) if seen.case else None,
                "step_agents": {source: list(names) for source, names in seen.step_agents.items()},
            }
        player.emit(TurnBatch(replay={"observed": observed}))
    if isinstance(agent, ClosesConversations):
        try:
            await agent.close(player.session, player.client)
        except ConnectorError as error:
            log_event(EventType.CONVERSATION_NOT_CLOSED, conversation=player.conversation_id, error=error.code)
