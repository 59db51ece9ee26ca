"""Reading a Langfuse over its public API: observations of a trace or a session (v2, for servers v3 and v4)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import httpx

from apps.connectors.agents.http_exchange import CONNECT_PAUSES_S, refuse_bad_status
from apps.connectors.errors import BadReply
from apps.connectors.tracing.langfuse_address import LangfuseAddress
from apps.connectors.tracing.langfuse_api import LangfuseApi, json_of
from apps.core.timestamps import format_timestamp

PAGE, MOST_PAGES = 1000, 50
MOST_BYTES = 64 * 1024 * 1024  # of all answers that one reader is given: what a worker holds of one window
READ_S = 60.0
_FIELDS = "core,basic,io,metadata,trace_context"


class TooMuchToRead(BadReply):
    """There is more than is read at once: a shorter window has less. `of_all`: the reader may read nothing more."""

    def __init__(self, message: str, *, of_all: bool = False) -> None:
        super().__init__(message)
        self.of_all = of_all


class LangfuseReader(LangfuseApi):
    """GETs only. One reader reads MOST_BYTES in all."""

    def __init__(self, address: LangfuseAddress) -> None:
        super().__init__(address)
        self._left = MOST_BYTES

    async def observations(
        self, client: httpx.AsyncClient, *, fields: str = _FIELDS, **where: str
    ) -> list[Mapping[str, Any]]:
        """All observations that `where` picks (traceId or sessionId), 50,000 at most. One GET for each 1,000. Raises a
        ConnectorError; BadReply for an answer that is no page, TooMuchToRead where there are more."""
        query = {**where, "fields": fields, "limit": str(PAGE)}
        return await self._pages("/api/public/v2/observations", query, client)

    async def scores(
        self, client: httpx.AsyncClient, *, name: str, since: datetime, until: datetime, **where: str
    ) -> list[Mapping[str, Any]]:
        """The scores of this name that were given within the window, 5,000 at most. One GET for each 100. Raises as
        `observations`."""
        times = {"fromTimestamp": format_timestamp(since), "toTimestamp": format_timestamp(until)}
        query = {"name": name, **times, **where, "fields": "details,subject", "limit": "100"}
        return await self._pages("/api/public/v3/scores", query, client)

    async def _pages(self, path: str, query: Mapping[str, str], client: httpx.AsyncClient) -> list[Mapping[str, Any]]:
        """What all pages hold. A cursor that comes again would be followed for ever."""
        found: list[Mapping[str, Any]] = []
        cursors = [""]
        while len(cursors) <= MOST_PAGES:
            cursor = cursors[-1]
            page = await self._page(f"{path}?{urlencode({**query, 'cursor': cursor} if cursor else query)}", client)
            found += [item for item in page["data"] if isinstance(item, Mapping)]
            meta = page.get("meta")
            cursor = str(meta.get("cursor") or "") if isinstance(meta, Mapping) else ""
            if not cursor:
                return found
            if cursor in cursors:
                raise BadReply(f"{self.who} gives the same page again and again: its list never ends")
            cursors.append(cursor)
        raise TooMuchToRead(f"{self.who} has more than {MOST_PAGES} pages of it")

    async def _page(self, path: str, client: httpx.AsyncClient) -> Mapping[str, Any]:
        response = await self.ask(client, "GET", path, within_s=READ_S, pauses=CONNECT_PAUSES_S)
        refuse_bad_status(response, self.who)
        self._left -= len(response.content)
        if self._left < 0:
            raise TooMuchToRead(f"{self.who} has more than {MOST_BYTES // 1024**2} MiB to read", of_all=True)
        data = json_of(response)
        if not isinstance(data.get("data"), list):
            raise BadReply(f"{self.who}: a page has a list named data", raw=response.text)
        return data
