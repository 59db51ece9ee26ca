"""One HTTP request to an agent, with every way it can fail turned into our error tree.

A turn must never arrive twice, so whether a request can have arrived is decided here and nowhere else: only what failed
before the connection stood was certainly not delivered (`Unreachable.sent` False). Every request asks for a connection
of its own (`Connection: close`): on a kept one, "the server hung up" could mean before or after it read the turn.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

import httpx

from apps.connectors.errors import (
    AddressRefused,
    AgentFailed,
    BadReply,
    RateLimited,
    RemoteFailure,
    RemoteRefusal,
    Unreachable,
)
from apps.connectors.llms.retry_after import wait_seconds

T = TypeVar("T")
CONNECT_TIMEOUT_S = 10.0
# Only what was certainly not delivered is tried again: at once, then after these many seconds.
CONNECT_PAUSES_S = (0.2, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAsk:
    """A request, ready to be sent. `who` names the agent in messages; header values never appear in any."""

    who: str
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    timeout_s: float = 60.0
    purpose: str = ""  # in the guard's words, where it is not the client's


@asynccontextmanager
async def streamed(client: httpx.AsyncClient, ask: HttpAsk) -> AsyncIterator[httpx.Response]:
    """Send once and give the response with its body unread. Maps what fails, inside the block too."""
    limits = httpx.Timeout(ask.timeout_s, connect=min(CONNECT_TIMEOUT_S, ask.timeout_s), pool=None)
    headers = {"connection": "close", **ask.headers}
    try:
        request = client.build_request(
            ask.method,
            ask.url,
            headers=headers,
            content=ask.content,
            timeout=limits,
            extensions={"purpose": ask.purpose} if ask.purpose else None,
        )
        response = await client.send(request, stream=True)
        try:
            yield response
        finally:
            await response.aclose()
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        slow = isinstance(error, httpx.TimeoutException)
        raise Unreachable(f"{ask.who} cannot be reached: {error}", timed_out=slow, sent=False) from error
    except httpx.TimeoutException as error:
        raise Unreachable(f"{ask.who} did not answer within {ask.timeout_s:g} s", timed_out=True) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise AddressRefused(f"{ask.who}: the address cannot be used: {error}") from error
    except (httpx.LocalProtocolError, UnicodeEncodeError):
        # `from None`: httpx's own message quotes the header, and the header may be a secret.
        raise RemoteRefusal(f"{ask.who}: the request cannot be formed: a stray character in a header?") from None
    except httpx.TransportError as error:
        raise Unreachable(f"{ask.who}: the connection broke: {type(error).__name__} {error}") from error
    except httpx.HTTPError as error:
        raise BadReply(f"{ask.who}: {error}") from error


async def fetch(client: httpx.AsyncClient, ask: HttpAsk) -> httpx.Response:
    """Send once and read the whole answer, at most `timeout_s` seconds in all. Status codes are the caller's."""
    try:
        async with asyncio.timeout(ask.timeout_s), streamed(client, ask) as response:
            await response.aread()
            return response
    except TimeoutError as error:
        raise Unreachable(f"{ask.who} did not answer within {ask.timeout_s:g} s", timed_out=True) from error


def refuse_bad_status(response: httpx.Response, who: str, *, took_turn: bool = False) -> None:
    """Raise for anything but a 2xx. `response` has been read. 429, and 503 with a time to come back, are rate limits:
    the server says itself that it did not take the turn. 500 to a turn (`took_turn`) is how a web framework reports an
    exception of the agent's; what stands in front of an agent says 502 to 504."""
    if response.is_success:
        return
    status, raw = response.status_code, response.text
    known: dict[str, Any] = {"status": status, "raw": raw, "who": who}
    if status == 429 or (status == 503 and "retry-after" in response.headers):
        wait = wait_seconds(response.headers, now=datetime.now(UTC))
        raise RateLimited(f"{who} asks us to come back in {wait:g} s", retry_after=wait, **known)
    if status == 500 and took_turn:
        raise AgentFailed(f"{who} failed over this turn with status 500", **known)
    if status >= 500:
        raise RemoteFailure(f"{who} failed with status {status}", **known)
    raise RemoteRefusal(f"{who} refused with status {status}", **known)


async def delivered_once(
    send: Callable[[], Awaitable[T]],
    *,
    pauses: tuple[float, ...] = CONNECT_PAUSES_S,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """Run `send`, again after each pause as long as nothing can have arrived; then its own error goes up."""
    for pause in pauses:
        try:
            return await send()
        except Unreachable as error:
            if error.sent:
                raise
        await sleep(pause)
    return await send()
