"""The short way through the API in front of Django (docs/adr/0075): in the same threads, in one piece of work.

An ASGI wrapper: reads a small body, asks `apps.api.short` in a request's thread, and sends what that gives. Where it
gives nothing, the request goes on to Django as it came.
"""

from collections.abc import Callable, MutableMapping
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware

from apps.api.short.asked import MAX_BODY_BYTES, might_be_short
from apps.api.short.door import answer
from apps.api.short.sent import Headers
from ratiba_eval.request_threads import App, RequestThreads
from ratiba_eval.security.headers import PolicyMiddleware

Message = MutableMapping[str, Any]


class ShortWay:
    """`app` is the long way, `threads` those that serve it too: connections are not opened twice."""

    def __init__(self, app: App, threads: RequestThreads) -> None:
        self.app, self.threads = app, threads

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not might_be_short(scope) or _announced(scope) > MAX_BODY_BYTES:
            await self.app(scope, receive, send)
            return
        body, taken = await _whole(receive)
        sent = await self.threads.run(answer, scope, body) if body is not None else None
        if sent is None:
            await self.app(scope, _again(taken, receive), send)
            return
        headers = (*sent.headers, *_of_every_answer(_is_secure(scope)))
        await send({"type": "http.response.start", "status": sent.status, "headers": headers})
        await send({"type": "http.response.body", "body": sent.body})


def _announced(scope: Message) -> int:
    """The body's length; too long where nobody says."""
    if scope["method"] == "GET":
        return 0
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return MAX_BODY_BYTES + 1


async def _whole(receive: Any) -> tuple[bytes | None, list[Message]]:
    """The body, None where its sender went away; and the messages as they came."""
    taken: list[Message] = []
    while True:
        message = await receive()
        taken.append(message)
        if message["type"] != "http.request":
            return None, taken
        if not message.get("more_body"):
            break
    return taken[0].get("body", b"") if len(taken) == 1 else b"".join(one.get("body", b"") for one in taken), taken


def _again(taken: list[Message], receive: Any) -> Callable[[], Any]:
    waiting = taken[::-1]

    async def again() -> Any:
        return waiting.pop() if waiting else await receive()

    return again


def _is_secure(scope: Message) -> bool:
    """Where a proxy ends TLS, the short way serves nothing else."""
    return settings.SECURE_PROXY_SSL_HEADER is not None or scope["scheme"] == "https"


@cache
def _of_every_answer(secure: bool) -> Headers:
    """What the middlewares of settings.MIDDLEWARE add to JSON: made once, by themselves."""
    request, answered = HttpRequest(), HttpResponse(content_type="application/json")
    request.path = "/api/v1/"
    request.is_secure = lambda: secure  # type: ignore[method-assign]
    XFrameOptionsMiddleware(lambda _: answered).process_response(request, answered)
    SecurityMiddleware(lambda _: answered).process_response(request, answered)
    PolicyMiddleware(lambda _: answered)(request)
    del answered["Content-Type"]
    return tuple((name.lower().encode(), value.encode()) for name, value in answered.items())
