"""What the short way sends back."""

from dataclasses import dataclass
from typing import Any

from apps.api.etags import as_sent

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """Status, headers of its own (those of every answer come later) and body. An empty body has no type."""

    status: int
    headers: Headers
    body: bytes


def json_sent(status: int, body: dict[str, Any] | bytes, *, allow: bytes, more: Headers = ()) -> Sent:
    raw = body if isinstance(body, bytes) else as_sent(body)
    typed = ((b"content-type", b"application/json"),) if raw else ()
    return Sent(status, (*typed, *more, (b"allow", allow), (b"content-length", b"%d" % len(raw))), raw)
