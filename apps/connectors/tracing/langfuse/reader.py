"""Reading a Langfuse over its public API: observations of a trace or a session (v2, for servers v3 and v4)."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import httpx

from apps.connectors.agents.http_exchange import CONNECT_PAUSES_S
from apps.connectors.errors import BadReply
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.api import LangfuseApi

PAGE, MAX_PAGES = 1000, 50
MAX_BYTES = 64 * 1024 * 1024  # of all answers that one reader is given: what a worker holds of one window
READ_S = 60.0
_FIELDS = "core,basic,io,metadata,trace_context"


class TooMuchToRead(BadReply):
    """Error of a window that holds more than can be read at once; a shorter one holds less.

    `of_all`: the reader has no reading left at all.
    """

    def __init__(self, message: str, *, of_all: bool = False) -> None:
        super().__init__(message)
        self.of_all = of_all


class LangfuseReader(LangfuseApi):
    """GETs only. One reader reads MAX_BYTES in all."""

    def __init__(self, address: LangfuseAddress) -> None:
        super().__init__(address)
        self._left = MAX_BYTES

    async def observations(
        self, client: httpx.AsyncClient, *, fields: str = _FIELDS, **where: Any
    ) -> list[Mapping[str, Any]]:
        """All observations that `where` picks (trace_id, session_id, a window), 50,000 at most. One GET for each 1,000.
        Raises a ConnectorError; BadReply for an answer that is no page, TooMuchToRead where there are more."""
        return await self._pages(
            client, lambda api, at: api.observations.get_many(**where, fields=fields, limit=PAGE, cursor=at)
        )

    async def scores(
        self, client: httpx.AsyncClient, *, name: str, since: datetime, until: datetime, **where: Any
    ) -> list[Mapping[str, Any]]:
        """The scores of this name that were given within the window, 5,000 at most. One GET for each 100. Raises as
        `observations`."""
        query = {**where, "name": name, "from_timestamp": since, "to_timestamp": until}
        return await self._pages(
            client, lambda api, at: api.scores.get_many(**query, fields="details,subject", limit=100, cursor=at)
        )

    async def _pages(
        self, client: httpx.AsyncClient, page_at: Callable[..., Awaitable[Any]]
    ) -> list[Mapping[str, Any]]:
        """The rows of all pages, as they came. A cursor that comes again would be followed for ever, so it is
        refused."""
        pages: list[Mapping[str, Any]] = []
        cursors: list[str | None] = [None]
        while len(cursors) <= MAX_PAGES:
            rows, cursor = await self._page(client, partial(page_at, at=cursors[-1]))
            pages += rows
            if not cursor:
                return pages
            if cursor in cursors:
                raise BadReply(f"{self.who} gives the same page again and again: its list never ends")
            cursors.append(cursor)
        raise TooMuchToRead(f"{self.who} has more than {MAX_PAGES} pages of it")

    async def _page(
        self, client: httpx.AsyncClient, read: Callable[[Any], Awaitable[Any]]
    ) -> tuple[list[Mapping[str, Any]], str | None]:
        """(its rows, the next page's cursor)."""
        page = await self.ask(client, read, within_s=READ_S, pauses=CONNECT_PAUSES_S, rows_as_they_came=True)
        self._left -= page.size
        if self._left < 0:
            raise TooMuchToRead(f"{self.who} has more than {MAX_BYTES // 1024**2} MiB to read", of_all=True)
        cursor = page.data.meta.cursor
        return [one for one in page.document["data"] if isinstance(one, Mapping)], cursor
