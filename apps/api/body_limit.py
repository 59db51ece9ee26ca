"""The limit on request bodies at the server's door: Django's ASGI handler would first write a body of any size to disk.

What is too large by its Content-Length is answered without taking it in; a body sent in chunks is cut off at the limit.
Bytes that are on their way are thrown away for a while, since a client that is still sending may miss an early answer.
What fits is taken in whole before the application is called: a slow sender holds no thread.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from apps.api.problems import API_PREFIX, CONTENT_TYPE, problem
from apps.api.views.base import MAX_BODY_BYTES

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[..., Awaitable[None]]  # an ASGI application: (scope, receive, send)
THROWN_AWAY = 64 * 1024 * 1024


class BodyLimit:
    """Wraps an ASGI application; only addresses of the API are limited."""

    def __init__(self, app: App, *, limit: int = MAX_BODY_BYTES) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(API_PREFIX):
            await self.app(scope, receive, send)
            return
        body = None if _announced(scope) > self.limit else await self._read(receive)
        if body is None:
            await _throw_away(receive)
            await _refuse(send, self.limit)
            return
        waiting = [body]

        async def replay() -> Message:
            return waiting.pop() if waiting else await receive()

        await self.app(scope, replay, send)

    async def _read(self, receive: Receive) -> Message | None:
        """The whole body as one message (or the disconnect that came instead); None beyond the limit."""
        parts, taken = [], 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return message
            parts.append(message.get("body", b""))
            taken += len(parts[-1])
            if taken > self.limit:
                return None
            if not message.get("more_body"):
                return {"type": "http.request", "body": b"".join(parts), "more_body": False}


def _announced(scope: Message) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


async def _throw_away(receive: Receive) -> None:
    left = THROWN_AWAY
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return


async def _refuse(send: Send, limit: int) -> None:
    body = json.dumps(problem(413, "body_too_large", f"The body is larger than {limit} bytes.")).encode()
    headers = [(b"content-type", CONTENT_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})
