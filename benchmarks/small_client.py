"""A small HTTP/1.1 client for load: keep-alive connections, a fixed number of them, a tenth of httpx's processor time.

httpx looks through every waiting request and connection whenever one is free, so a thousand that wait cost it more than
the server that is measured.
"""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
IDLE_S = 2.0  # servers close a connection that nobody used for some seconds; ours are given up sooner


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class SmallClient:
    """Requests to one address; at most `connections` at a time, others wait their turn."""

    def __init__(self, host: str, port: int, *, headers: dict[str, str], connections: int = 64) -> None:
        self.host, self.port = host, port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in {"host": f"{host}:{port}", **headers}.items())
        self.free: list[tuple[float, Connection]] = []
        self.turns = asyncio.Semaphore(connections)

    async def get(self, path: str) -> Reply:
        return await self._ask(f"GET {path} HTTP/1.1\r\n{self.head}\r\n".encode())

    async def post(self, path: str, body: Any, **headers: str) -> Reply:
        raw = json.dumps(body).encode()
        more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        more += f"content-type: application/json\r\ncontent-length: {len(raw)}\r\n"
        return await self._ask(f"POST {path} HTTP/1.1\r\n{self.head}{more}\r\n".encode() + raw)

    async def _ask(self, request: bytes) -> Reply:
        """Raises OSError or asyncio.IncompleteReadError where the connection was lost, TimeoutError after 120 s."""
        async with self.turns:
            reader, writer = self._idle() or await asyncio.open_connection(self.host, self.port)
            try:
                async with asyncio.timeout(120):
                    writer.write(request)
                    reply = await _read(reader)
            except BaseException:
                writer.close()
                raise
            self.free.append((time.monotonic(), (reader, writer)))
            return reply

    def _idle(self) -> Connection | None:
        """The connection used last; where that is too long ago, all of them are."""
        if self.free and self.free[-1][0] < time.monotonic() - IDLE_S:
            self.close()
        return self.free.pop()[1] if self.free else None

    def close(self) -> None:
        for _, (_, writer) in self.free:
            writer.close()
        self.free.clear()


async def _read(reader: asyncio.StreamReader) -> Reply:
    """One answer whose length is announced, as both servers here do."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    lengths = [line.split(":", 1)[1] for line in head if line.lower().startswith("content-length:")]
    body = await reader.readexactly(int(lengths[0])) if lengths else b""
    return Reply(int(head[0].split()[1]), body)
