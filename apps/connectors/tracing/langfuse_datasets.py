"""Datasets of a Langfuse: our tests go there as items, and items come from there."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from apps.connectors.agents.http_exchange import refuse_bad_status
from apps.connectors.errors import BadReply
from apps.connectors.tracing.langfuse import TooMuchToRead
from apps.connectors.tracing.langfuse_api import LangfuseApi, json_of

ASK_S = 15.0
PAGE, MOST_ITEMS = 50, 5_000


class LangfuseDatasets(LangfuseApi):
    """The datasets of one project. Everything raises a ConnectorError."""

    async def push(self, client: httpx.AsyncClient, name: str, items: Sequence[Mapping[str, Any]]) -> None:
        """Make the dataset, where there is none of this name, and each item, or what it says, by its id. One request
        each, and two besides; safe to repeat."""
        there = await self.ask(client, "GET", f"/api/public/v2/datasets/{quote(name, safe='')}", within_s=ASK_S)
        if there.status_code == 404:
            made = await self.ask(client, "POST", "/api/public/v2/datasets", {"name": name}, within_s=ASK_S)
            refuse_bad_status(made, self.who)
        else:
            refuse_bad_status(there, self.who)
        for item in items:
            body = {**item, "datasetName": name}
            refuse_bad_status(
                await self.ask(client, "POST", "/api/public/dataset-items", body, within_s=ASK_S), self.who
            )

    async def items(self, client: httpx.AsyncClient, name: str) -> list[Mapping[str, Any]]:
        """All items, MOST_ITEMS at most. One GET for each PAGE of them. Raises TooMuchToRead for more, and BadReply for
        an answer that is no page."""
        found: list[Mapping[str, Any]] = []
        for page in range(1, MOST_ITEMS // PAGE + 1):
            query = urlencode({"datasetName": name, "page": page, "limit": PAGE})
            response = await self.ask(client, "GET", f"/api/public/dataset-items?{query}", within_s=ASK_S)
            refuse_bad_status(response, self.who)
            answer = json_of(response)
            rows, meta = answer.get("data"), answer.get("meta")
            if not isinstance(rows, list):
                raise BadReply(f"{self.who}: a page of items has a list named data", raw=response.text)
            found += [one for one in rows if isinstance(one, Mapping)]
            pages = meta.get("totalPages") if isinstance(meta, Mapping) else None
            if not rows or not isinstance(pages, int) or page >= pages:
                return found
        raise TooMuchToRead(f"{self.who}: {name!r} has more than {MOST_ITEMS} items")
