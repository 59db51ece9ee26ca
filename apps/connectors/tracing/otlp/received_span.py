"""A span of OpenTelemetry as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedSpan:
    """One span. Ids are hex, "" where missing; times are nanoseconds since 1970; `resource` are the attributes of
    whoever sent it; `dropped` counts attributes that its exporter left out."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    started_ns: int
    ended_ns: int
    dropped: int
    attributes: Mapping[str, Any] = field(repr=False)
    resource: Mapping[str, Any] = field(repr=False)
