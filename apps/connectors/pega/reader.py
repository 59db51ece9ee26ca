"""Reading what a Pega keeps of a conversation: GETs only, nothing of it changes anything.

Address and authentication are those of its AgentX connection (exchange.py). The `contextId` of an A2A conversation is
the same id, so that one that was held over A2A can be read here too.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable

import httpx

from apps.connectors.agents.base import AgentSpec
from apps.connectors.errors import RemoteRefusal
from apps.connectors.pega.exchange import PegaExchange, segment
from apps.connectors.pega.insight import PegaConversation, read_insight, read_listed
from apps.connectors.pega.stages import CaseStage, read_case_status, read_stages

CONVERSATION_VIEW = "D_pxAutopilotConversation"
LIST_VIEW = "D_pxAutopilotConversations"  # its name differs by release: `list_view` of `recent`
# Brief 004: 1 s was sometimes too early, 3 s too late; and three more looks of 2 s each.
FIRST_LOOK_S, LOOK_AGAIN_S, LOOKS_AGAIN = 2.0, 2.0, 3
VIEW_S = 60.0  # the server itself stops a data view at 45 s (sheet §5)
MAX_LISTED = 50


class PegaReader:
    """Reads from one Pega. Keeps only its token."""

    def __init__(self, spec: AgentSpec, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._exchange = PegaExchange(spec)
        self._sleep = sleep

    async def conversation(
        self,
        conversation_id: str,
        client: httpx.AsyncClient,
        *,
        first_look_s: float = FIRST_LOOK_S,
        complete: Callable[[PegaConversation], bool] = lambda found: bool(found.messages),
    ) -> PegaConversation:
        """The conversation, looked at again while it is not `complete` (has no messages): the view lags. What the last
        look showed comes back, complete or not. At most four GETs and 8 s. Raises a ConnectorError."""
        parameters = segment(json.dumps({"InteractionID": conversation_id}, separators=(",", ":")))
        path = f"/data_views/{CONVERSATION_VIEW}?dataViewParameters={parameters}"
        pause = first_look_s
        for _ in range(1 + LOOKS_AGAIN):
            await self._sleep(pause)
            data = await self._exchange.call("GET", path, client=client, timeout_s=VIEW_S)
            insight = read_insight(data, who=self._exchange.who)
            if complete(insight):
                break
            pause = LOOK_AGAIN_S
        return insight

    async def recent(self, client: httpx.AsyncClient, *, list_view: str = LIST_VIEW) -> tuple[str, ...]:
        """The ids of the newest conversations, newest first, 50 at most. One call."""
        body = {
            "dataViewParameters": {},
            "query": {"select": [{"field": "pyID"}], "sortBy": [{"field": "pxCreateDateTime", "type": "DESC"}]},
            "paging": {"pageNumber": 1, "pageSize": MAX_LISTED},
        }
        path = f"/data_views/{segment(list_view)}"
        return read_listed(await self._exchange.call("POST", path, client=client, timeout_s=VIEW_S, body=body))

    async def case_status(self, case_key: str, client: httpx.AsyncClient) -> str:
        """The case's status; "" while it is still being created (404), or where the answer tells none. One GET. Raises
        a ConnectorError."""
        try:
            data = await self._exchange.call("GET", f"/cases/{segment(case_key)}", client=client, timeout_s=VIEW_S)
        except RemoteRefusal as error:
            if error.status == 404:
                return ""
            raise
        return read_case_status(data)

    async def stages(self, case_key: str, client: httpx.AsyncClient) -> tuple[CaseStage, ...] | None:
        """The stages of a case, looked for again while it is being created (404); None where it still is after that. At
        most four GETs and 6 s. Raises a ConnectorError."""
        path = f"/cases/{segment(case_key)}/stages"
        for look in range(1 + LOOKS_AGAIN):
            if look:
                await self._sleep(LOOK_AGAIN_S)
            try:
                data = await self._exchange.call("GET", path, client=client, timeout_s=VIEW_S)
                return read_stages(data, who=self._exchange.who)
            except RemoteRefusal as error:
                if error.status != 404:
                    raise
        return None
