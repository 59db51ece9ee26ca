"""Datasets of a Langfuse: our tests go there as items, and items come from there."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx

from apps.connectors.errors import RemoteRefusal
from apps.connectors.tracing.langfuse.api import LangfuseApi
from apps.connectors.tracing.langfuse.reader import TooMuchToRead

ASK_S = 15.0
PAGE, MAX_ITEMS = 50, 5_000


class LangfuseDatasets(LangfuseApi):
    """The datasets of one project. Everything raises a ConnectorError."""

    async def push(self, client: httpx.AsyncClient, name: str, items: Sequence[Mapping[str, Any]]) -> None:
        """Make the dataset, where there is none of this name, and each item, or what it says, by its id. One request
        each, and two besides; safe to repeat."""
        try:
            await self.ask(client, lambda api: api.datasets.get(quote(name, safe="")), within_s=ASK_S)
        except RemoteRefusal as error:
            if error.status != 404:
                raise
            await self.ask(client, lambda api: api.datasets.create(name=name), within_s=ASK_S)
        for item in items:
            await self.ask(client, _call("create", dataset_name=name, **item), within_s=ASK_S)

    async def items(self, client: httpx.AsyncClient, name: str) -> list[Mapping[str, Any]]:
        """All items, MAX_ITEMS at most. One GET for each PAGE of them. Raises TooMuchToRead for more, and BadReply for
        an answer that is no page."""
        observations: list[Mapping[str, Any]] = []
        for page in range(1, MAX_ITEMS // PAGE + 1):
            answer = await self.ask(client, _call("list", dataset_name=name, page=page, limit=PAGE), within_s=ASK_S)
            rows, meta = answer.data.data, answer.data.meta
            observations += answer.document["data"]
            if not rows or page >= meta.total_pages:
                return observations
        raise TooMuchToRead(f"{self.who}: {name!r} has more than {MAX_ITEMS} items")


def _call(act: str, **given: Any) -> Callable[[Any], Awaitable[Any]]:
    return lambda api: getattr(api.dataset_items, act)(**given)
