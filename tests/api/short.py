"""The short way, asked as the server asks it."""

import json
from typing import Any

from apps.api.short.door import answer
from apps.api.short.sent import Sent
from tests.api.door import Door


def scope_of(door: Door, method: str, path: str, raw: bytes = b"", **headers: str) -> dict[str, Any]:
    own = {"host": f"{door.tenant}.localhost", "authorization": f"Bearer {door.bearer}"}
    typed = {"content-type": "application/json", "content-length": str(len(raw))} if method == "POST" else {}
    every = own | typed | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "type": "http",
        "method": method,
        "path": path if path.startswith("/") else f"/api/v1/{path}",
        "query_string": b"",
        "scheme": "http",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in every.items()],
    }


def short_get(door: Door, path: str, **headers: str) -> Sent | None:
    return answer(scope_of(door, "GET", path, **headers), b"")


def short_post(door: Door, body: Any, *, path: str = "evaluations/", **headers: str) -> Sent | None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return answer(scope_of(door, "POST", path, raw, **headers), raw)
