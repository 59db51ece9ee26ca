"""Conversations that a Pega stores, by their ids (PXCONV-…): read, never driven."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from apps.connectors.agents.agentx import AgentXAgent
from apps.connectors.agents.base import AgentSession, AgentSpec
from apps.connectors.agents.capabilities import TranscriptMessage
from apps.connectors.errors import ConnectorError
from apps.connectors.pega.insight import PegaConversation
from apps.connectors.pega.observing import case_of, step_agents_of
from apps.connectors.pega.reader import PegaReader
from apps.connectors.pega.stages import CaseStage
from apps.core.conversation import Attachment, TurnRole, Utterance
from apps.core.errors import BadInput, NotFound
from apps.runs.goldens.domain.captured_golden import CapturedSession

Sleep = Callable[[float], Awaitable[None]]


async def captured_from_pega(
    spec: AgentSpec, ids: Sequence[str], client: Any, *, sleep: Sleep = asyncio.sleep
) -> CapturedSession:
    """The conversations joined into one session, with the case of the last one that has one. `spec` is the agent's
    AgentX connection.

    Raises NotFound for an id whose conversation has no message after four looks, and a ConnectorError. Three to ten
    GETs a conversation; nothing is changed there."""
    reader, conversations = PegaReader(spec, sleep=sleep), list[tuple[Utterance, ...]]()
    last: tuple[PegaConversation, tuple[CaseStage, ...] | None] | None = None
    status = ""
    for pk in ids:
        # What was held is over: the first look needs no wait, the further ones have theirs.
        conversation = await reader.conversation(pk, client, first_look_s=0.0)
        if not conversation.messages:
            raise NotFound(f"the Pega has no message of a conversation {pk!r}", pointer="/conversation_id")
        names = await _file_names(spec, pk, conversation.messages, client)
        conversations.append(tuple(_utterance(message, names) for message in conversation.messages))
        if conversation.case_key:
            last = conversation, await reader.stages(conversation.case_key, client)
            status = await reader.case_status(conversation.case_key, client)
    return CapturedSession(
        ids=tuple(ids),
        source="pega",
        conversations=tuple(conversations),
        case=case_of(*last, status) if last else None,
        step_agents=step_agents_of(*last) if last else {},
    )


async def _file_names(
    spec: AgentSpec, conversation_id: str, messages: Sequence[TranscriptMessage], client: Any
) -> dict[str, tuple[str, ...]]:
    """{message id: names of its files} as AgentX tells them, which the view does not. Asked only where a message of the
    customer's is empty; a Pega that does not tell, or an agent without an AgentX name, gives none."""
    if all(message.text or message.role is not TurnRole.USER for message in messages):
        return {}
    session = AgentSession(context_id=conversation_id, state={"theirs": True})
    try:
        answer = await AgentXAgent(spec).look_again(session, client)
    except (ConnectorError, BadInput):
        return {}
    return {message.message_id: message.files for message in answer if message.files and message.message_id}


def _utterance(message: TranscriptMessage, names: dict[str, tuple[str, ...]]) -> Utterance:
    files = names.get(message.message_id, ()) if message.role is TurnRole.USER else ()
    return Utterance(
        role=message.role,
        content=message.text,
        ts=message.at,
        attachments=tuple(Attachment(name=name) for name in files),
    )
