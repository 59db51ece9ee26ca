"""The byte stream under an outgoing HTTP connection: one asyncio.Protocol, as thin as it can be.

httpcore's own streams go through anyio, which costs about as much CPU per request as everything else together. Bytes to
send are held until the other side is listened to, so that head and body of a request leave in one packet.
"""

import asyncio
import ssl
from typing import Any, cast

import httpcore

_HOLD_BYTES = 64 * 1024
_READ_AHEAD_BYTES = 256 * 1024


async def connect(
    address: str, port: int, *, timeout: float | None, local_address: str | None = None
) -> "SocketStream":
    """A TCP connection to an address (not a name). Raises httpcore.ConnectTimeout or ConnectError."""
    loop = asyncio.get_running_loop()
    local = (local_address, 0) if local_address else None
    try:
        async with asyncio.timeout(timeout):
            _, protocol = await loop.create_connection(_Wire, address, port, local_addr=local)
    except TimeoutError as error:
        raise httpcore.ConnectTimeout(f"no connection to {address} in time") from error
    except OSError as error:
        raise httpcore.ConnectError(str(error)) from error
    return SocketStream(protocol)


class _Wire(asyncio.Protocol):
    """Collects what arrives; wakes the one who waits to read, or the one who waits to write."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.arrived = bytearray()
        self.ended = False
        self.failure: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._full = False
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.arrived += data
        if len(self.arrived) > _READ_AHEAD_BYTES and not self._paused and self.transport is not None:
            self.transport.pause_reading()
            self._paused = True
        _wake(self._reader)

    def eof_received(self) -> bool:
        self.ended = True
        _wake(self._reader)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended, self.failure, self._full = True, exc, False
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        self._full = True

    def resume_writing(self) -> None:
        self._full = False
        _wake(self._writer)

    async def readable(self, timeout: float | None) -> None:
        """Wait until something has arrived or the other side has ended. Raises TimeoutError."""
        if not self.arrived and not self.ended:
            self._reader = asyncio.get_running_loop().create_future()
            await _wait(self._reader, timeout)

    async def writable(self, timeout: float | None) -> None:
        """Wait until the send buffer has room. Raises TimeoutError."""
        if self._full:
            self._writer = asyncio.get_running_loop().create_future()
            await _wait(self._writer, timeout)

    def take(self, most: int) -> bytes:
        """Take the bytes that have arrived, at most `most`."""
        chunk = bytes(self.arrived[:most])
        del self.arrived[:most]
        if self._paused and self.transport is not None and len(self.arrived) <= _READ_AHEAD_BYTES // 2:
            self.transport.resume_reading()
            self._paused = False
        return chunk


class SocketStream(httpcore.AsyncNetworkStream):
    """httpcore's idea of a stream over a `_Wire`. One request at a time, as HTTP/1.1 has it."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire
        self._held = bytearray()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._held:
            await self._flush(timeout, httpcore.ReadTimeout)
        try:
            await self._wire.readable(timeout)
        except TimeoutError as error:
            raise httpcore.ReadTimeout("nothing arrived in time") from error
        if not self._wire.arrived and self._wire.failure is not None:
            raise httpcore.ReadError(str(self._wire.failure)) from self._wire.failure
        return self._wire.take(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._held += buffer
        if len(self._held) >= _HOLD_BYTES:
            await self._flush(timeout, httpcore.WriteTimeout)

    async def _flush(self, timeout: float | None, late: type[httpcore.TimeoutException]) -> None:
        transport = self._wire.transport
        data, self._held = self._held, bytearray()
        if transport is None or transport.is_closing():
            return  # what was answered before the other side closed can still be read
        transport.write(data)
        try:
            await self._wire.writable(timeout)
        except TimeoutError as error:
            raise late("the other side did not take the request in time") from error

    async def aclose(self) -> None:
        if self._wire.transport is not None:
            self._wire.transport.abort()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        wire = self._wire
        if wire.transport is None or wire.ended:
            raise httpcore.ConnectError("the other side closed before the TLS handshake")
        try:
            async with asyncio.timeout(timeout):
                started = await asyncio.get_running_loop().start_tls(
                    wire.transport, wire, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError as error:
            await self.aclose()
            raise httpcore.ConnectTimeout("no TLS handshake in time") from error
        except OSError as error:  # ssl.SSLError is one
            await self.aclose()
            raise httpcore.ConnectError(str(error)) from error
        wire.transport = started
        return self

    def get_extra_info(self, info: str) -> Any:
        transport = self._wire.transport
        if info == "is_readable":  # an idle connection that has something to say is about to close
            return self._wire.ended or bool(self._wire.arrived) or transport is None or transport.is_closing()
        names = {"ssl_object": "ssl_object", "client_addr": "sockname", "server_addr": "peername", "socket": "socket"}
        return transport.get_extra_info(names[info]) if transport is not None and info in names else None


def _wake(waiter: "asyncio.Future[None] | None") -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


async def _wait(waiter: "asyncio.Future[None]", timeout: float | None) -> None:
    if timeout is None:
        await waiter
        return
    alarm = asyncio.get_running_loop().call_later(timeout, _late, waiter)
    try:
        await waiter
    finally:
        alarm.cancel()


def _late(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())
