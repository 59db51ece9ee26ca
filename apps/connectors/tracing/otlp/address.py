"""Describe the address of a receiver of OTLP, and the headers that open it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from apps.core.errors import BadInput

TRACES = "/v1/traces"
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OURS = frozenset({"content-type", "content-encoding", "content-length", "host", "user-agent", "transfer-encoding"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OtlpAddress:
    """Address to which spans go. `headers` are secrets."""

    url: str
    headers: Mapping[str, str] = field(repr=False)


def otlp_address(base_url: str, headers: str) -> OtlpAddress:
    """Read an address as exporters of OpenTelemetry have it.

    `/v1/traces` is added to an address that does not end so, and headers are `name=value` with commas between. Raises
    BadInput for headers that are none.
    """
    base = base_url.rstrip("/")
    url = base if urlsplit(base).path.endswith(TRACES) else base + TRACES
    return OtlpAddress(url=url, headers=read_headers(headers))


def read_headers(entered: str) -> dict[str, str]:
    """Read headers in the form of OTEL_EXPORTER_OTLP_HEADERS.

    Raises BadInput that names the place, and never a value.
    """
    headers = {}
    for number, part in enumerate(filter(None, map(str.strip, entered.split(","))), start=1):
        name, equals, value = part.partition("=")
        name, value = name.strip(), unquote(value.strip())
        if not equals or not value or not _NAME.fullmatch(name) or not (value.isascii() and value.isprintable()):
            raise BadInput(
                f"Header {number} is not name=value, with commas between several: authorization=Bearer abc",
                code="bad_headers",
                pointer="/secrets/headers",
            )
        if name.lower() in _OURS:
            raise BadInput(f"{name} is set by us: leave it out.", code="bad_headers", pointer="/secrets/headers")
        headers[name.lower()] = value
    return headers
