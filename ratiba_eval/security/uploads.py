"""The limit on bodies outside the API (which has its own, smaller one, and its own words for it).

Django's ASGI handler would write a body of any size to disk before a view could look at it.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
App = Callable[..., Awaitable[None]]
MAX_UPLOAD_BYTES = 32 * 1024 * 1024  # the largest form takes a file of 25 MiB
TEXT = b"This upload is too large: at most 32 MiB. Larger files are read by the commands.\n"


class UploadLimit:
    """Wraps an ASGI application: too large by its Content-Length is 413 at once, a chunked body is cut off."""

    def __init__(self, app: App, *, limit: int = MAX_UPLOAD_BYTES) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"")
        if announced.isdigit() and int(announced) > self.limit:
            start = {"type": "http.response.start", "status": 413}
            await send(
                {**start, "headers": [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]}
            )
            await send({"type": "http.response.body", "body": TEXT})
            return
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message: Message = await receive()
            taken += len(message.get("body", b""))
            return message if taken <= self.limit else {"type": "http.disconnect"}

        await self.app(scope, counted, send)
