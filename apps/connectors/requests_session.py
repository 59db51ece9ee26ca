"""A `requests` session that leaves through the guard, for libraries that speak by `requests` alone (django-allauth).

No redirect is followed, no cookie, proxy or .netrc is used, a reply is capped, and a whole exchange has one deadline.
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from apps.connectors.addresses import OutboundPolicy
from apps.connectors.errors import AddressRefused, BadReply

if TYPE_CHECKING:
    import httpx  # 0.2 s of every command that signs nobody in


class _GuardedAdapter(BaseAdapter):
    """Each request is one connection of the guard's client, closed with the reply."""

    def __init__(self, policy: OutboundPolicy, deadline_s: float) -> None:
        super().__init__()
        self._policy = policy
        self._deadline_s = deadline_s

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: bool | str = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        import httpx  # noqa: PLC0415 - as above

        try:
            reply = asyncio.run(self._exchange(request))
        except TimeoutError as error:
            raise requests.Timeout(f"no whole reply within {self._deadline_s:g} s", request=request) from error
        except (AddressRefused, BadReply, httpx.HTTPError, httpx.InvalidURL) as error:
            raise requests.ConnectionError(str(error), request=request) from error
        answer = requests.Response()
        answer.status_code = reply.status_code
        answer.headers = CaseInsensitiveDict(reply.headers)
        answer.encoding = reply.encoding
        answer.url = str(request.url)
        answer.request = request
        answer._content = reply.content
        return answer

    async def _exchange(self, request: requests.PreparedRequest) -> "httpx.Response":
        from apps.connectors.outbound import outbound_client  # noqa: PLC0415 - as above

        async with asyncio.timeout(self._deadline_s), outbound_client(self._policy) as client:
            headers = {name: value for name, value in request.headers.items() if name.lower() != "content-length"}
            return await client.request(
                str(request.method), str(request.url), headers=headers, content=request.body or None
            )

    def close(self) -> None:
        """Do nothing: no connection is kept open."""


class _DirectSession(requests.Session):
    """A session that follows no redirect: the caller sees the 3xx."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


def guarded_session(policy: OutboundPolicy, *, deadline_s: float) -> requests.Session:
    """A session whose every byte goes where `policy` allows. Requests raise `requests.RequestException` alone. For a
    thread without an event loop."""
    session = _DirectSession()
    session.trust_env = False
    session.headers["Accept-Encoding"] = "identity"
    session.cookies.clear()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _GuardedAdapter(policy, deadline_s))
    return session
