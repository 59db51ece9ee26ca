"""THE guard on where we may connect. Agents, models and callbacks all go through a client made here.

It works at connection time: a host name is resolved once, every address it gave is checked against the policy, and the
connection goes to a checked address itself, so a name that changes its mind between the check and the connection
(DNS rebinding) gains nothing. TLS and the Host header keep the name. Proxies from the environment are not used: they
would connect in our stead, unguarded.
"""

import asyncio
import http.cookiejar
import ipaddress
import socket
import ssl
import time
from collections.abc import AsyncIterator, Iterable
from functools import cache
from typing import Any

import httpcore
import httpx

from apps.connectors.addresses import IPAddress, OutboundPolicy, check_address, check_port, literal_address
from apps.connectors.errors import AddressRefused, BadReply

__all__ = ["DEFAULT_LIMITS", "DEFAULT_TIMEOUT", "OutboundPolicy", "check_address", "outbound_client"]

DEFAULT_LIMITS = httpx.Limits(max_connections=256, max_keepalive_connections=128, keepalive_expiry=30.0)
# Waiting for a connection of our own pool is not the remote's slowness, so it has no limit here; callers set deadlines.
DEFAULT_TIMEOUT = httpx.Timeout(30.0, connect=10.0, pool=None)


def outbound_client(
    policy: OutboundPolicy, *, limits: httpx.Limits = DEFAULT_LIMITS, timeout: httpx.Timeout | float = DEFAULT_TIMEOUT
) -> httpx.AsyncClient:
    """A client that connects only where `policy` allows: http and https, no redirects followed, no cookies kept,
    responses capped. Requests raise AddressRefused beside httpx's own errors. Cost: the connections it opens; keep one
    client for many requests (it belongs to one event loop)."""
    return httpx.AsyncClient(
        transport=GuardedTransport(policy, limits=limits),
        timeout=timeout,
        follow_redirects=False,
        trust_env=False,
        # One client serves many conversations: a cookie set in one must not be sent in another.
        cookies=http.cookiejar.CookieJar(policy=http.cookiejar.DefaultCookiePolicy(allowed_domains=())),
        # The cap on responses counts the bytes on the wire, so nothing may grow behind it.
        headers={"accept-encoding": "identity"},
    )


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


class GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a pool whose network backend checks and pins addresses."""

    def __init__(self, policy: OutboundPolicy, *, limits: httpx.Limits = DEFAULT_LIMITS) -> None:
        # Not calling super().__init__(): it would only build the pool that this one replaces.
        self._policy = policy
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_tls(),
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            http1=True,
            http2=False,
            network_backend=_PinningBackend(policy),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.scheme not in ("http", "https"):
            raise AddressRefused(f"{self._policy.purpose} address must begin with http:// or https://")
        response = await super().handle_async_request(request)
        cap = self._policy.max_response_bytes
        try:
            _check_head(response, cap)
        except BadReply:
            await response.aclose()
            raise
        response.stream = _CappedStream(response.stream, cap)
        return response


def _check_head(response: httpx.Response, cap: int) -> None:
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) > cap:
        raise BadReply(f"response of {length} bytes is larger than the {cap} allowed", status=response.status_code)
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", ""):
        raise BadReply(f"response is {encoding}-encoded, but only identity was asked for", status=response.status_code)


class _CappedStream(httpx.AsyncByteStream):
    def __init__(self, stream: Any, cap: int) -> None:
        self._stream = stream
        self._left = cap
        self._cap = cap

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._left -= len(part)
            if self._left < 0:
                raise BadReply(f"response is larger than the {self._cap} bytes allowed")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


class _PinningBackend(httpcore.AsyncNetworkBackend):
    """Resolves once, checks every address, connects to a checked one."""

    def __init__(self, policy: OutboundPolicy) -> None:
        self._policy = policy
        self._inner = httpcore.AnyIOBackend()
        self._known: dict[str, tuple[float, tuple[IPAddress, ...]]] = {}
        self._asking: dict[str, asyncio.Task[tuple[IPAddress, ...]]] = {}

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        check_port(host, port, self._policy)
        started = time.monotonic()
        addresses = await self._addresses(host, timeout)
        for address in addresses:
            self._policy.check(host, address)
        failure: Exception = httpcore.ConnectError(f"no address for {host!r}")
        for tried, address in enumerate(addresses):
            left = None if timeout is None else max(0.001, timeout - (time.monotonic() - started))
            share = left if left is None else left / (len(addresses) - tried)
            try:
                return await self._inner.connect_tcp(
                    str(address), port, timeout=share, local_address=local_address, socket_options=socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise AddressRefused(f"{self._policy.purpose} address is a local socket")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)

    async def _addresses(self, host: str, timeout: float | None) -> tuple[IPAddress, ...]:
        """The addresses behind a name; the resolver is asked once per name and `resolve_cache_s`, however many wait."""
        literal = literal_address(host)
        if literal is not None:
            return (literal,)
        expires, addresses = self._known.get(host, (0.0, ()))
        if time.monotonic() < expires:
            return addresses
        task = self._asking.get(host)
        if task is None:
            task = self._asking[host] = asyncio.ensure_future(_resolve(host))
            task.add_done_callback(lambda done: self._forget(host, done))
        try:
            # Shielded: one waiter's deadline must not fail the others.
            addresses = await asyncio.wait_for(asyncio.shield(task), timeout)
        except TimeoutError:
            raise httpcore.ConnectTimeout(f"name {host!r} was not resolved in time") from None
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"name {host!r} cannot be resolved: {error}") from None
        self._known[host] = (time.monotonic() + self._policy.resolve_cache_s, addresses)
        return addresses

    def _forget(self, host: str, task: asyncio.Task[tuple[IPAddress, ...]]) -> None:
        self._asking.pop(host, None)
        if not task.cancelled():
            task.exception()  # seen, even where every waiter has gone: asyncio would complain in the log


async def _resolve(host: str) -> tuple[IPAddress, ...]:
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ipaddress.ip_address(entry[4][0]) for entry in found))
