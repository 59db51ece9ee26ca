"""One HTTP call a turn, and what every relayed agent is sent by: again only where nothing can have arrived."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import httpx

CONNECT_PAUSES_S = (0.2, 1.0)  # as the server waits where it dials itself
MAX_PAUSE_S = 30.0  # that an agent may ask for by Retry-After


class AgentUnreachable(Exception):
    """The agent under test gave no answer; the sentence says how."""


@dataclass(frozen=True, kw_only=True)
class RelayedTurn:
    """A relayed turn is the message that the agent gets.
    `session` is the same for all turns of a conversation, `message_id` the turn's own; `files` are {"name",
    "media_type", "base64"}."""

    text: str
    session: str
    message_id: str
    files: Sequence[Mapping[str, str]] = ()


class AgentProtocol(Protocol):
    """A protocol asks one agent. `name` tells the server how to read the agent's responses."""

    name: str

    async def prepare(self, http: "httpx.AsyncClient") -> None:
        """Prepare the calls once, before the clock of a turn starts. Raises `AgentUnreachable`."""
        ...

    async def ask(self, http: "httpx.AsyncClient", turn: RelayedTurn) -> "httpx.Response":
        """The agent's answer to a turn, whatever its status. Raises `AgentUnreachable`."""
        ...

    def shown(self, response: "httpx.Response") -> Mapping[str, Any]:
        """Return the mapping in which the agent may show its state, transitions and log beside its words."""
        ...


class HttpProtocol:
    """POST {"message", "session_id"}, answered by {"reply"}."""

    name = "http"

    def __init__(self, address: str) -> None:
        self._address = address

    async def prepare(self, http: "httpx.AsyncClient") -> None:
        """Nothing."""

    async def ask(self, http: "httpx.AsyncClient", turn: RelayedTurn) -> "httpx.Response":
        """See `AgentProtocol`."""
        body = {"message": turn.text, "session_id": turn.session}
        return await delivered(lambda: http.post(self._address, json=body))

    def shown(self, response: "httpx.Response") -> Mapping[str, Any]:
        """The object of the answer itself."""
        try:
            value = json.loads(response.content)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


async def delivered(send: Callable[[], Awaitable["httpx.Response"]]) -> "httpx.Response":
    """The response to one request, read whole. Sent again after a failed connection, and after the pause that an agent
    asks for which says itself that it did not take the turn (429, 503). Raises `AgentUnreachable`."""
    import httpx

    from pytest_ratiba.client import wait_of

    pauses = list(CONNECT_PAUSES_S)
    while True:
        try:
            response = await send()
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if not pauses:
                raise AgentUnreachable(f"{error.request.url} cannot be reached: {error}") from error
            await asyncio.sleep(pauses.pop(0))
            continue
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise AgentUnreachable(f"the connection to the agent broke: {type(error).__name__} {error}") from error
        limited = response.status_code == 429 or (response.status_code == 503 and "retry-after" in response.headers)
        if not limited:
            return response
        await asyncio.sleep(min(max(wait_of(response, 1.0), 0.05), MAX_PAUSE_S))
