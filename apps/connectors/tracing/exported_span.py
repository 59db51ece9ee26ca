"""A span that is sent, as plain data; its ids follow from rows, so that the same row is the same span."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

Attributes = Mapping[str, str | bool | int | float | tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """Something that is told at a span, at `at_ns` nanoseconds since 1970."""

    name: str
    at_ns: int
    attributes: Attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedSpan:
    """Span to export.

    `trace_id` has 32 hex digits, `span_id` and `parent_id` 16 (`parent_id` "" for a root). Times are nanoseconds since
    1970. `error` is "" where nothing failed.
    """

    trace_id: str
    span_id: str
    parent_id: str = ""
    name: str
    started_ns: int
    ended_ns: int
    attributes: Attributes = field(default_factory=dict)
    error: str = ""
    events: tuple[SpanEvent, ...] = ()


def trace_id_of(seed: str) -> str:
    """Return a trace's id, made of a seed as the SDK of Langfuse does: the first 16 bytes of its SHA-256."""
    return hashlib.sha256(seed.encode()).hexdigest()[:32]


def span_id_of(seed: str) -> str:
    """The first 8 bytes of the seed's SHA-256."""
    return hashlib.sha256(seed.encode()).hexdigest()[:16]
