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
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import cache
from typing import Any

import httpcore
import httpx

from apps.connectors import sockets
from apps.connectors.addresses import IPAddress, OutboundPolicy, check_address, check_port, literal_address
from apps.connectors.errors import AddressRefused, BadReply
from apps.connectors.guarded_client import GuardedClient

__all__ = ["DEFAULT_LIMITS", "DEFAULT_TIMEOUT", "OutboundPolicy", "check_address", "outbound_client"]

DEFAULT_LIMITS = httpx.Limits(max_connections=256, max_keepalive_connections=128, keepalive_expiry=30.0)
# Waiting for a connection of our own pool is not the remote's slowness, so it has no limit here; callers set deadlines.
DEFAULT_TIMEOUT = httpx.Timeout(30.0, connect=10.0, pool=None)


def outbound_client(
    policy: OutboundPolicy, *, limits: httpx.Limits = DEFAULT_LIMITS, timeout: httpx.Timeout | float = DEFAULT_TIMEOUT
) -> httpx.AsyncClient:
    """A client that connects only where `policy` allows: http and https, no redirects followed, no cookies kept,
    responses capped. Requests raise AddressRefused and BadReply beside httpx's own errors. Cost: the connections it
    opens; keep one client for many requests (it belongs to one event loop)."""
    return GuardedClient(
        policy,
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
    context = httpx.create_ssl_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


Origin = tuple[bytes, bytes, int | None]
_HTTPCORE_ERRORS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)


class GuardedTransport(httpx.AsyncBaseTransport):
    """Keep-alive HTTP/1.1 connections, each opened to a checked address.

    httpcore speaks the protocol; the pool is ours, because httpcore's looks at every connection for every request
    (measured at 32 at once: more CPU than the rest of the request). This one takes the last used and looks at that.
    """

    def __init__(self, policy: OutboundPolicy, *, limits: httpx.Limits = DEFAULT_LIMITS) -> None:
        self._policy = policy
        self._limits = limits
        self._dialer = _Dialer(policy)
        self._slots = None if limits.max_connections is None else asyncio.Semaphore(limits.max_connections)
        self._idle: dict[Origin, deque[httpcore.AsyncHTTP11Connection]] = {}
        self._idle_count = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.scheme not in ("http", "https"):
            raise AddressRefused(f"{self._policy.purpose} address must begin with http:// or https://")
        origin = (url.raw_scheme, url.raw_host, url.port)
        wire_request = httpcore.Request(
            method=request.method.encode("ascii"),
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        purpose = request.extensions.get("purpose")
        policy = replace(self._policy, purpose=purpose) if purpose else self._policy
        timeouts: dict[str, float | None] = request.extensions.get("timeout", {})
        await self._take_slot(timeouts.get("pool"))
        try:
            connection = await self._connection(origin, wire_request, timeouts.get("connect"), policy)
            response = await connection.handle_async_request(wire_request)
        except BaseException as error:
            self._give_slot()
            raise _as_httpx(error, request) from error if isinstance(error, Exception) else None
        body = _Body(self, origin, connection, response.stream, self._policy.max_response_bytes, request)
        given = httpx.Response(
            status_code=response.status, headers=response.headers, stream=body, extensions=response.extensions
        )
        try:
            _check_head(given, self._policy.max_response_bytes)
        except BadReply:
            await body.aclose()
            raise
        return given

    async def aclose(self) -> None:
        waiting = [connection for line in self._idle.values() for connection in line]
        self._idle.clear()
        self._idle_count = 0
        for connection in waiting:
            await connection.aclose()

    async def release(self, origin: Origin, connection: httpcore.AsyncHTTP11Connection) -> None:
        """A response has been read or given up: keep its connection if it can serve again."""
        self._give_slot()
        if not connection.is_idle():
            return  # it closed itself
        if self._idle_count >= (self._limits.max_keepalive_connections or 0):
            await connection.aclose()
            return
        self._idle.setdefault(origin, deque()).append(connection)
        self._idle_count += 1

    async def _connection(
        self, origin: Origin, wire_request: httpcore.Request, timeout: float | None, policy: OutboundPolicy
    ) -> httpcore.AsyncHTTP11Connection:
        line = self._idle.get(origin)
        while line:
            connection = line.pop()
            self._idle_count -= 1
            if not connection.has_expired():
                return connection
            await connection.aclose()
        return await self._dialer.dial(wire_request.url.origin, timeout, self._limits.keepalive_expiry, policy)

    async def _take_slot(self, timeout: float | None) -> None:
        if self._slots is None:
            return
        if not self._slots.locked():
            await self._slots.acquire()
            return
        try:
            async with asyncio.timeout(timeout):
                await self._slots.acquire()
        except TimeoutError as error:
            raise httpx.PoolTimeout("every connection of the client was in use") from error

    def _give_slot(self) -> None:
        if self._slots is not None:
            self._slots.release()


class _Body(httpx.AsyncByteStream):
    """A response's bytes, counted; closing it gives the connection back."""

    def __init__(
        self,
        transport: GuardedTransport,
        origin: Origin,
        connection: httpcore.AsyncHTTP11Connection,
        stream: Any,
        cap: int,
        request: httpx.Request,
    ) -> None:
        self._transport = transport
        self._origin = origin
        self._connection = connection
        self._stream = stream
        self._cap = cap
        self._request = request
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        try:
            async for part in self._stream:
                seen += len(part)
                if seen > self._cap:
                    raise BadReply(f"response is larger than the {self._cap} bytes allowed")
                yield part
        except _HTTPCORE_ERRORS as error:
            raise _as_httpx(error, self._request) from error

    async def aclose(self) -> None:
        if not self._closed:
            self._closed = True
            try:
                await self._stream.aclose()
            finally:
                await self._transport.release(self._origin, self._connection)


def _check_head(response: httpx.Response, cap: int) -> None:
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) > cap:
        raise BadReply(f"response of {length} bytes is larger than the {cap} allowed", status=response.status_code)
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", ""):
        raise BadReply(f"response is {encoding}-encoded, but only identity was asked for", status=response.status_code)


def _as_httpx(error: BaseException, request: httpx.Request) -> BaseException:
    """httpx's error of the same name; anything else as it is."""
    if not isinstance(error, _HTTPCORE_ERRORS):
        return error
    same: type[httpx.RequestError] = getattr(httpx, type(error).__name__, httpx.TransportError)
    return same(str(error), request=request)


class _Dialer:
    """Resolves once, checks every address, connects to a checked one."""

    def __init__(self, policy: OutboundPolicy) -> None:
        self._policy = policy
        self._known: dict[str, tuple[float, tuple[IPAddress, ...]]] = {}
        self._asking: dict[str, asyncio.Task[tuple[IPAddress, ...]]] = {}

    async def dial(
        self,
        origin: httpcore.Origin,
        timeout: float | None,
        keepalive_expiry: float | None,
        policy: OutboundPolicy,
    ) -> httpcore.AsyncHTTP11Connection:
        """A fresh connection. Raises AddressRefused before a byte is sent; httpcore's ConnectError, ConnectTimeout."""
        host = origin.host.decode("ascii")
        started = time.monotonic()
        stream: httpcore.AsyncNetworkStream = await self._connect(host, origin.port, timeout, policy)
        if origin.scheme == b"https":
            left = None if timeout is None else max(0.001, timeout - (time.monotonic() - started))
            stream = await stream.start_tls(_tls(), server_hostname=host.rstrip("."), timeout=left)
        return httpcore.AsyncHTTP11Connection(origin=origin, stream=stream, keepalive_expiry=keepalive_expiry)

    async def _connect(
        self, host: str, port: int, timeout: float | None, policy: OutboundPolicy
    ) -> sockets.SocketStream:
        check_port(host, port, policy)
        started = time.monotonic()
        addresses = await self._addresses(host, timeout)
        for address in addresses:
            policy.check(host, address)
        failure: Exception = httpcore.ConnectError(f"no address for {host!r}")
        for tried, address in enumerate(addresses):
            left = None if timeout is None else max(0.001, timeout - (time.monotonic() - started))
            share = left if left is None else left / (len(addresses) - tried)
            try:
                return await sockets.connect(str(address), port, timeout=share)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

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
    answers = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ipaddress.ip_address(entry[4][0]) for entry in answers))
