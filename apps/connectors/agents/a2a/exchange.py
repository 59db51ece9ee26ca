"""One JSON-RPC call to an A2A endpoint, answered at once or as a stream. What may have arrived is never sent again."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import httpx

from apps.connectors.agents.a2a.stream import Folded, events
from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch, refuse_bad_status, streamed
from apps.connectors.agents.oauth import Credentials
from apps.connectors.agents.prompt_delivery import PromptDelivery
from apps.connectors.errors import AgentFailed, BadReply, RemoteRefusal, Unreachable


class RPCError(Exception):
    """A JSON-RPC error object. `number` is its code."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        self.number = error.get("code") if isinstance(error.get("code"), int) else 0
        self.raw = json.dumps(error)
        super().__init__(f"JSON-RPC error {self.number}: {str(error.get('message', ''))[:500]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcExchange:
    """Exchange with one endpoint of an agent."""

    client: httpx.AsyncClient
    url: str
    headers: Mapping[str, str]
    credentials: Credentials
    who: str
    timeout_s: float
    prompt: PromptDelivery | None = None

    async def call(self, body: Mapping[str, Any]) -> Any:
        """The `result` of a call. Raises RPCError, and wire.py's errors."""

        async def ask() -> httpx.Response:
            return await fetch(self.client, await self._ask(body, accept="application/json"))

        response = await delivered_once(ask)
        if response.status_code == 401 and self.credentials.forget():
            response = await delivered_once(ask)
        self._check_prompt(response)
        return read_rpc(response, self.who)

    async def stream(self, body: Mapping[str, Any]) -> Any:
        """Call by a stream, and put the answer together.

        A stream that breaks off once a task is known gives the task so far, under way, to be asked about: nothing is
        sent again.
        """
        try:
            return await delivered_once(lambda: self._stream_once(body))
        except RemoteRefusal as error:
            if error.status != 401 or not self.credentials.forget():
                raise
        return await delivered_once(lambda: self._stream_once(body))

    async def _stream_once(self, body: Mapping[str, Any]) -> Any:
        ask = await self._ask(body, accept="text/event-stream")
        folded = Folded()
        try:
            async with asyncio.timeout(self.timeout_s), streamed(self.client, ask) as response:
                self._check_prompt(response)
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    await response.aread()
                    return read_rpc(response, self.who)
                refuse_bad_status(response, self.who, took_turn=True)
                async for event in events(response.aiter_lines()):
                    if folded.take(_unwrap(event, self.who)):
                        break
        except Unreachable:
            if folded.task_id is None:
                raise
        except TimeoutError as error:
            raise Unreachable(f"{self.who} did not answer within {self.timeout_s:g} s", timed_out=True) from error
        if folded.result is None:
            raise Unreachable(f"{self.who}: the stream ended without an answer")
        return folded.result

    def _check_prompt(self, response: httpx.Response) -> None:
        if self.prompt and response.is_success:
            self.prompt.check(self.prompt.said_in_headers(response.headers), (), who=self.who)

    async def _ask(self, body: Mapping[str, Any], *, accept: str) -> HttpAsk:
        headers = {
            "content-type": "application/json",
            "accept": accept,
            **self.headers,
            **await self.credentials.headers(self.client),
            **(self.prompt.headers() if self.prompt else {}),
        }
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        return HttpAsk(
            who=self.who, method="POST", url=self.url, headers=headers, content=content, timeout_s=self.timeout_s
        )


def read_rpc(response: httpx.Response, who: str) -> Any:
    """The result in a response. A JSON-RPC error counts even under a status that is not 200: it says more."""
    try:
        document = json.loads(response.content)
    except (ValueError, RecursionError):
        document = None
    limited = response.status_code in (401, 403, 429, 503)
    if isinstance(document, Mapping) and isinstance(document.get("error"), Mapping) and not limited:
        raise RPCError(document["error"])
    refuse_bad_status(response, who, took_turn=True)
    if document is None:
        raise BadReply(
            f"{who} answered with something that is not JSON", status=response.status_code, raw=response.text
        )
    return _unwrap(document, who)


def _unwrap(document: Any, who: str) -> Any:
    if not isinstance(document, Mapping):
        raise BadReply(f"{who}: a JSON-RPC answer is an object", raw=repr(document))
    if isinstance(document.get("error"), Mapping):
        raise RPCError(document["error"])
    if "result" not in document:
        raise BadReply(f"{who}: a JSON-RPC answer without result or error", raw=json.dumps(document))
    return document["result"]


def refuse(error: RPCError, who: str) -> NoReturn:
    """A JSON-RPC error: the agent's own failure (-32603, it may have run) or our request's fault."""
    kind = AgentFailed if error.number == -32603 else RemoteRefusal
    raise kind(f"{who}: {error}", raw=error.raw, rpc_code=error.number, who=who) from error
