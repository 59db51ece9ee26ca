"""Looking at the case behind a conversation once its turns were answered."""

from collections.abc import Awaitable, Callable

import httpx

from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.capabilities import CaseObservation
from apps.connectors.pega.observing import case_of, step_agents_of
from apps.connectors.pega.reader import LOOK_AGAIN_S, LOOKS_AGAIN, PegaReader


async def observe_case(
    spec: AgentSpec, conversation_id: str, client: httpx.AsyncClient, *, sleep: Callable[[float], Awaitable[None]]
) -> CaseObservation:
    """The case's stages, and the step agents that its fields and stages tell of. At most nine GETs and 14 s. Raises a
    ConnectorError."""
    reader = PegaReader(spec, sleep=sleep)
    seen = await reader.conversation(conversation_id, client, complete=lambda found: bool(found.case_key))
    if not seen.case_key:
        return CaseObservation()
    stages = await reader.stages(seen.case_key, client)
    for _ in range(LOOKS_AGAIN if stages is None else 0):  # a case that is still being created
        await sleep(LOOK_AGAIN_S)
        stages = await reader.stages(seen.case_key, client)
        if stages is not None:
            break
    status = await reader.case_status(seen.case_key, client)
    return CaseObservation(case=case_of(seen, stages, status), step_agents=step_agents_of(seen, stages))
