"""A request as it came in, a reply as it goes out: plain values between clients, the endpoint and the recordings."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class RawRequest:
    """`upstream` is a configured name or the host; `path` what stands behind the upstream's base URL; `query` is raw.
    Header names are in lower case."""

    method: str
    upstream: str
    host: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, kw_only=True)
class WireReply:
    """Decoded chunks (no content-encoding) in the order and size they came; `offsets_ms` since the request was sent."""

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...] = ()
    offsets_ms: tuple[int, ...] = ()
    cut: bool = False  # the client stopped reading, or the connection broke
    duration_ms: int = 0

    @property
    def body(self) -> bytes:
        """All chunks in one."""
        return b"".join(self.chunks)
