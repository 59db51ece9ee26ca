"""The API asked from within this process: the same views, rights, limits, seals and figures as over HTTP.

A tool answers what the API answers; it has no query of its own.
"""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.core.handlers.wsgi import WSGIRequest
from django.db import connections
from django.urls import resolve

from apps.api.caller import Caller, MachineUser
from apps.core.actor import acting
from apps.core.documents import as_json
from apps.core.errors import RatibaError
from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import CI_SCOPES, KeyScope

API = "/api/v1/"
MAX_PAGES = 10


class Refused(RatibaError):
    """Error of a request that the API refused, with the API's `code` and words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCaller:
    """Caller of a tenant's API.

    With `token` it is a bearer key, which each request proves anew; else the person at this machine, who may read, and
    with `may_write` start runs. `base` is the address of the tenant's pages.
    """

    tenant: str
    base: str
    token: str = ""
    may_write: bool = False

    def get(self, path: str, **query: Any) -> Any:
        """The document at `path` (below /api/v1/). Raises Refused."""
        return self._ask("GET", path, query=urlencode({key: value for key, value in query.items() if value}))

    def post(self, path: str, body: Any, *, key: str = "") -> Any:
        """Post a body and return the API's answer; `key` goes as Idempotency-Key. Raises Refused."""
        return self._ask("POST", path, body=json.dumps(body).encode(), key=key)

    def rows(self, path: str, *, most: int) -> Iterator[Any]:
        """The results of a list, page after page, up to `most`. Raises Refused."""
        cursor, seen = "", 0
        for _ in range(MAX_PAGES):
            page = self.get(path, limit=min(most, 200), cursor=cursor)
            for row in page["results"]:
                if seen == most:
                    return
                seen += 1
                yield row
            if not page["next"]:
                return
            cursor = parse_qs(urlsplit(page["next"]).query)["cursor"][0]

    def _ask(self, method: str, path: str, *, query: str = "", body: bytes = b"", key: str = "") -> Any:
        at = urlsplit(self.base)
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": API + path,
            "QUERY_STRING": query,
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SERVER_NAME": at.hostname or "localhost",
            "SERVER_PORT": str(at.port or 80),
            "HTTP_HOST": at.netloc,
            "wsgi.url_scheme": at.scheme,
            "wsgi.input": io.BytesIO(body),
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": "application/json",
        }
        environ |= {"HTTP_IDEMPOTENCY_KEY": key} if key else {}
        environ |= {"HTTP_AUTHORIZATION": f"Bearer {self.token}"} if self.token else {}
        request: Any = WSGIRequest(environ)
        if not self.token:
            caller = Caller(principal="mcp", scopes=CI_SCOPES if self.may_write else frozenset({KeyScope.READ}))
            request._force_auth_user, request._force_auth_token = MachineUser("mcp"), caller
        try:
            with in_tenant(self.tenant), acting("mcp"):
                match = resolve(request.path_info)
                response = match.func(request, *match.args, **match.kwargs)
                return _document(response)
        finally:
            connections.close_all()


def _document(response: Any) -> Any:
    data = as_json(response.data) if hasattr(response, "data") else json.loads(response.content)
    if response.status_code >= 400:
        raise Refused(str(data.get("detail", "refused")), code=str(data.get("code", "refused")))
    return data
