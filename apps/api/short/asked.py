"""A request as the short way reads it, straight from ASGI."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.api.domain.keys import looks_like_key

MAX_BODY_BYTES = 64 * 1024  # larger ones have more to do than to come in
_POST = "/api/v1/evaluations/"
_STATUS = re.compile(r"/api/v1/(evaluations|test-runs)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/status/")
_HOST = re.compile(r"[a-z0-9.-]{1,253}(?::[0-9]{1,5})?")
_BEARER = "Bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Header names are lower case; none was sent twice. `of` and `id` are a status address's, else "" and None."""

    method: str
    path: str
    headers: Mapping[str, str]
    scheme: str
    host: str
    key: str
    of: str = ""
    id: UUID | None = None


def might_be_short(scope: Mapping[str, Any]) -> bool:
    """Whether it is worth a look: the right method and address. Microseconds."""
    path = scope["path"]
    if scope["method"] == "POST":
        return bool(path == _POST)
    return bool(scope["method"] == "GET" and path.endswith("/status/") and path.startswith("/api/v1/"))


def read_asked(scope: Mapping[str, Any]) -> Asked | None:
    """The request, or None where anything about it is unusual."""
    if not might_be_short(scope):
        return None
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        header = name.decode("latin-1")
        if header in headers:
            return None
        headers[header] = value.decode("latin-1")
    bearer, host = headers.get("authorization", ""), headers.get("host", "")
    if scope["query_string"] or "webhook-signature" in headers or not bearer.startswith(_BEARER):
        return None
    key = bearer[len(_BEARER) :]
    if not looks_like_key(key) or not _HOST.fullmatch(host):
        return None
    asked = {"method": scope["method"], "path": scope["path"], "headers": headers, "scheme": scope["scheme"]}
    if scope["method"] == "POST":
        return Asked(**asked, host=host, key=key)
    found = _STATUS.fullmatch(scope["path"])
    return Asked(**asked, host=host, key=key, of=found[1], id=UUID(found[2])) if found else None
