"""Reading a Langfuse over its public API: observations of a trace or a session (v2, for servers v3 and v4)."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import httpx

from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch, refuse_bad_status
from apps.connectors.errors import BadReply
from apps.core.errors import BadInput
from apps.core.timestamps import format_timestamp

PAGE, MOST_PAGES = 1000, 50
MOST_BYTES = 64 * 1024 * 1024  # of all answers that one reader is given: what a worker holds of one window
READ_S = 60.0
_FIELDS = "core,basic,io,metadata,trace_context"


@dataclass(frozen=True, slots=True, kw_only=True)
class LangfuseAddress:
    """A Langfuse project. A missing address is an error and never the cloud."""

    base_url: str
    public_key: str
    secret_key: str = field(repr=False)

    @property
    def authorization(self) -> str:
        """The header's value: a secret."""
        return "Basic " + base64.b64encode(f"{self.public_key}:{self.secret_key}".encode()).decode()

    def url(self, path: str) -> str:
        """Of a path that begins with a slash."""
        return self.base_url.rstrip("/") + path

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "LangfuseAddress":
        """LANGFUSE_BASE_URL, LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY. Raises BadInput that names what is missing."""
        found = {
            "LANGFUSE_BASE_URL": environment.get("LANGFUSE_BASE_URL", ""),
            "LANGFUSE_PUBLIC_KEY": environment.get("LANGFUSE_PUBLIC_KEY", ""),
            "LANGFUSE_SECRET_KEY": environment.get("LANGFUSE_SECRET_KEY", ""),
        }
        missing = [name for name, value in found.items() if not value]
        if missing:
            raise BadInput(f"set {', '.join(missing)} to read from a Langfuse", code="not_configured")
        base_url, public_key, secret_key = found.values()
        return cls(base_url=base_url, public_key=public_key, secret_key=secret_key)


class TooMuchToRead(BadReply):
    """There is more than is read at once: a shorter window has less. `of_all`: the reader may read nothing more."""

    def __init__(self, message: str, *, of_all: bool = False) -> None:
        super().__init__(message)
        self.of_all = of_all


class LangfuseReader:
    """GETs only. One reader reads MOST_BYTES in all."""

    def __init__(self, address: LangfuseAddress) -> None:
        self._address, self._left = address, MOST_BYTES
        self.who = f"the Langfuse at {address.base_url.rstrip('/')}"
        self._headers = {"accept": "application/json", "authorization": address.authorization}

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
        ask = HttpAsk(who=self.who, method="GET", url=self._address.url(path), headers=self._headers, timeout_s=READ_S)
        response = await delivered_once(lambda: fetch(client, ask))
        refuse_bad_status(response, self.who)
        self._left -= len(response.content)
        if self._left < 0:
            raise TooMuchToRead(f"{self.who} has more than {MOST_BYTES // 1024**2} MiB to read", of_all=True)
        try:
            data = json.loads(response.content)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, Mapping) or not isinstance(data.get("data"), list):
            raise BadReply(f"{self.who}: a page has a list named data", raw=response.text)
        return data
