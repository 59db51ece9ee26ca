"""Replies that are written down instead of recorded, for hosts no test should need (payments, calendars)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pytest_ratiba.recording.exchange import RawRequest, WireReply

STUB_KEYS = ("host", "method", "path", "status", "headers", "json", "text", "file")


@dataclass(frozen=True, kw_only=True)
class Stub:
    """`host` is an upstream's name or a host; `host` and `path` may hold `*`. An empty method means any."""

    host: str
    method: str = ""
    path: str = "*"
    reply: WireReply
    shown: str = field(default="", compare=False)

    @classmethod
    def from_row(cls, row: Mapping[str, Any], *, folder: Path) -> "Stub":
        """Raises ValueError for a row that makes no sense and OSError for a file that cannot be read."""
        host, path, method = row.get("host"), row.get("path", "*"), row.get("method", "")
        if not isinstance(host, str) or not host:
            raise ValueError("`host` is missing: the name of an upstream or a host, * allowed")
        if not isinstance(path, str) or not isinstance(method, str):
            raise ValueError("`path` and `method` are texts")
        status = row.get("status", 200)
        if not isinstance(status, int) or not 100 <= status <= 599:
            raise ValueError(f"`status` is a number from 100 to 599, not {status!r}")
        bodies = [key for key in ("json", "text", "file") if key in row]
        if len(bodies) > 1:
            raise ValueError(f"one of json, text and file, not {' and '.join(bodies)}")
        headers = {str(name).lower(): str(value) for name, value in (row.get("headers") or {}).items()}
        if "json" in row:
            body, kind = json.dumps(row["json"], ensure_ascii=False).encode(), "application/json"
        elif "file" in row:
            body, kind = (folder / str(row["file"])).read_bytes(), "application/octet-stream"
        else:
            body, kind = str(row.get("text", "")).encode(), "text/plain; charset=utf-8"
        headers.setdefault("content-type", kind)
        reply = WireReply(
            status=status, headers=headers, chunks=(body,) if body else (), offsets_ms=(0,) if body else ()
        )
        return cls(host=host, method=method.upper(), path=path, reply=reply, shown=f"{host} {path}")

    def answers(self, request: RawRequest) -> bool:
        """Whether this stub is meant for the request."""
        return (
            self.method in ("", request.method)
            and (fnmatchcase(request.upstream, self.host) or fnmatchcase(request.host, self.host))
            and fnmatchcase(request.path, self.path)
        )
