"""A small HTTP/1.1 server on loopback: real sockets, real bytes, and the ways a real server can misbehave.

Hand-written on asyncio.Protocol because the benchmark's stub has to answer thousands of requests a second on half a
core, which h11 does not. It reads requests with a Content-Length (all our clients send one) and answers in order.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

_REASONS = {status.value: status.phrase for status in HTTPStatus}


@dataclass(slots=True)
class Request:
    """One request as it came. `head` holds the raw header block."""

    method: str
    path: str
    head: bytes
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """Names in lower case; the last of several wins."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}


@dataclass(slots=True)
class Answer:
    """What to send back, and how badly.

    `delay_s` waits first. `fault`: "hang" never answers; "reset" closes without a byte; "cut" promises the whole body,
    sends half and closes; "drip" sends the body a byte at a time, 50 ms apart.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    fault: str | None = None
    dripped: int = 0  # bytes of the body that a drip has sent so far

    def encode(self) -> bytes:
        extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        return (
            f"HTTP/1.1 {self.status} {_REASONS.get(self.status, 'Unknown')}\r\ncontent-type: {self.content_type}\r\n"
            f"content-length: {len(self.body)}\r\n{extra}\r\n"
        ).encode("latin-1") + self.body


Handler = Callable[[Request], Answer]


class HttpProtocol(asyncio.Protocol):
    """One connection. The handler is a plain function; waiting is asked for with `Answer.delay_s`."""

    def __init__(self, handler: Handler, connections: set["HttpProtocol"] | None = None) -> None:
        self._handler = handler
        self._connections = connections if connections is not None else set()
        self._buffer = b""
        self._busy = False
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        if not self._busy:
            self._next()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _next(self) -> None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._buffer[:end]
        at = head.lower().find(b"\r\ncontent-length:")
        length = int(head[at + 17 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self._buffer) < end + 4 + length:
            return
        body = self._buffer[end + 4 : end + 4 + length]
        self._buffer = self._buffer[end + 4 + length :]
        method, path, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        self._busy = True
        answer = self._handler(Request(method, path, head, body))
        if answer.delay_s > 0:
            self._loop.call_later(answer.delay_s, self._send, answer)
        else:
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        transport = self._transport
        if transport is None or answer.fault == "hang":
            return
        data = answer.encode()
        if answer.fault == "reset":
            transport.abort()
        elif answer.fault == "cut":
            transport.write(data[: len(data) - len(answer.body) // 2 - 1])
            transport.close()
        elif answer.fault == "drip":
            start = len(data) - len(answer.body)
            transport.write(data[:start])
            self._drip(answer, data[start:])
        else:
            transport.write(data)
            self._busy = False
            if self._buffer:
                self._next()

    def _drip(self, answer: Answer, rest: bytes) -> None:
        if self._transport is not None and rest:
            self._transport.write(rest[:1])
            answer.dripped += 1
            self._loop.call_later(0.05, self._drip, answer, rest[1:])


class LoopbackServer:
    """The server in a thread of its own, for tests. Use as a context manager; `url` says where it listens.

    `port` 0: whichever is free.
    """

    def __init__(self, handler: Handler, *, port: int = 0) -> None:
        self._handler = handler
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="loopback-server", daemon=True)
        self._ready = threading.Event()
        self._connections: set[HttpProtocol] = set()
        self.port = port
        self.connections_made = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "LoopbackServer":
        self._thread.start()
        self._ready.wait(5)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _protocol(self) -> HttpProtocol:
        self.connections_made += 1
        return HttpProtocol(self._handler, self._connections)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(self._loop.create_server(self._protocol, "127.0.0.1", self.port))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            for connection in list(self._connections):
                connection.close()
            server.close()
            with contextlib.suppress(TimeoutError):
                self._loop.run_until_complete(asyncio.wait_for(server.wait_closed(), 1))
            self._loop.close()
