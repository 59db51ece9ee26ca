"""google-auth's transport over the guarded client: how a tenant's key gets its access token."""

import asyncio
from typing import Any

import httpx

from apps.connectors.errors import ConnectorError


class GuardedRequest:
    """Sends the requests of google-auth through the guarded client.

    google-auth calls it from its own thread, while the client's event loop runs in another.
    """

    def __init__(self, client: httpx.AsyncClient, loop: asyncio.AbstractEventLoop, timeout_s: float) -> None:
        self._client = client
        self._loop = loop
        self._timeout_s = timeout_s

    def __call__(
        self, url: str, method: str = "GET", body: Any = None, headers: Any = None, **_: Any
    ) -> "TransportAnswer":
        from google.auth.exceptions import TransportError  # noqa: PLC0415 - needed by this provider alone

        sending = self._client.request(method, url, content=body, headers=headers, timeout=self._timeout_s)
        try:
            return TransportAnswer(asyncio.run_coroutine_threadsafe(sending, self._loop).result(self._timeout_s + 5))
        except (httpx.HTTPError, TimeoutError, ConnectorError) as error:
            raise TransportError(str(error)) from error  # type: ignore[no-untyped-call]


class TransportAnswer:
    """A response in the shape that google-auth reads."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.data = response.content
