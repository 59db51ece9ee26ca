"""One request to the public API of a Langfuse, whatever it is about (ADR 0159 says why not by its generated client)."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch
from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.errors import AddressRefused, ConnectorError, RateLimited, Unreachable
from apps.connectors.tracing.langfuse_address import LangfuseAddress


class LangfuseApi:
    """The API of one project. `who` names it in messages, without its key."""

    def __init__(self, address: LangfuseAddress) -> None:
        self._address = address
        self.who = f"the Langfuse at {address.base_url.rstrip('/')}"

    async def ask(
        self, client: httpx.AsyncClient, method: str, path: str, body: Any = None, *, within_s: float,
        pauses: tuple[float, ...] = (),
    ) -> httpx.Response:  # fmt: skip
        """Its answer, whatever its status; `body` is sent as JSON. One request, and one more after each of `pauses`
        where it was certainly not delivered. Raises a ConnectorError where there is no answer within that time."""
        headers = {"accept": "application/json", "authorization": self._address.authorization}
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            headers["content-type"] = "application/json"
        ask = HttpAsk(
            who=self.who, method=method, url=self._address.url(path), headers=headers, content=content,
            timeout_s=within_s,
        )  # fmt: skip
        return await delivered_once(lambda: fetch(client, ask), pauses=pauses)


def json_of(response: httpx.Response) -> Mapping[str, Any]:
    """The object that it holds; {} for anything else."""
    try:
        found = json.loads(response.content)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, Mapping) else {}


def failed(error: ConnectorError) -> CallbackOutcome:
    """What became of an attempt that ended so: what the guard refuses and what is malformed (400, 413, 422) is not
    tried again; a key, an address and an outage may be mended."""
    return CallbackOutcome(
        delivered=False,
        status=error.status,
        error=error.message[:200],
        refused=isinstance(error, AddressRefused) or error.status in (400, 413, 422),
        retry_after_s=error.retry_after if isinstance(error, RateLimited) else None,
        timed_out=isinstance(error, Unreachable) and error.timed_out,
    )
