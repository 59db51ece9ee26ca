"""OTLP/HTTP out: spans as the bytes of an ExportTraceServiceRequest, and what its answer says was not taken."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from apps.connectors.tracing.exported_span import ExportedSpan

SERVICE = "ratiba-eval"
_ERROR = 2  # Status.STATUS_CODE_ERROR
_INTERNAL = 1  # Span.SPAN_KIND_INTERNAL
_MAX_NS, _MAX_INT = 2**64 - 1, 2**63 - 1


def export_request(spans: Sequence[ExportedSpan], *, resource: Mapping[str, str] | None = None) -> bytes:
    """The protobuf of one request; `resource` says more of who sends it. Any text can be sent: what is no Unicode (a
    lone surrogate) becomes a question mark. Some 15 ms for 1,000 spans; the first call loads protobuf (0.15 s)."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: PLC0415 - 17 MB of a process
        ExportTraceServiceRequest,
    )

    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    for name, value in {"service.name": SERVICE, **(resource or {})}.items():
        _put(group.resource.attributes.add(), name, value)
    scope = group.scope_spans.add()
    scope.scope.name = SERVICE
    for exported_span in spans:
        span = scope.spans.add()
        span.trace_id, span.span_id = bytes.fromhex(exported_span.trace_id), bytes.fromhex(exported_span.span_id)
        span.parent_span_id = bytes.fromhex(exported_span.parent_id)
        span.name, span.kind = _unicode(exported_span.name), _INTERNAL
        span.start_time_unix_nano = min(max(exported_span.started_ns, 0), _MAX_NS)
        span.end_time_unix_nano = min(max(exported_span.ended_ns, exported_span.started_ns, 0), _MAX_NS)
        for name, attribute in exported_span.attributes.items():
            _put(span.attributes.add(), name, attribute)
        for event in exported_span.events:
            added = span.events.add(name=_unicode(event.name), time_unix_nano=min(max(event.at_ns, 0), _MAX_NS))
            for name, attribute in event.attributes.items():
                _put(added.attributes.add(), name, attribute)
        if exported_span.error:
            span.status.code, span.status.message = _ERROR, _unicode(exported_span.error)
    return bytes(request.SerializeToString())


def not_taken(answer: bytes) -> str:
    """A sentence about the spans that the receiver of a 2xx says it left out; "" where it took all, or its answer says
    nothing."""
    if not answer.strip():
        return ""
    spans, why = _partial(answer)
    return f"{spans} spans were not taken: {why}"[:200] if spans > 0 else ""


def _partial(answer: bytes) -> tuple[int, str]:
    if answer.lstrip()[:1] == b"{":
        try:
            partial_answer = json.loads(answer).get("partialSuccess") or {}
            return int(partial_answer.get("rejectedSpans") or 0), str(partial_answer.get("errorMessage") or "")
        except (ValueError, AttributeError, TypeError, RecursionError):
            return 0, ""
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - as in export_request
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: PLC0415 - as above
        ExportTraceServiceResponse,
    )

    try:
        partial = ExportTraceServiceResponse.FromString(answer).partial_success
    except DecodeError:
        return 0, ""
    return partial.rejected_spans, partial.error_message


def _put(attribute: Any, name: str, value: str | bool | int | float | tuple[str, ...]) -> None:
    attribute.key = name
    if isinstance(value, bool):
        attribute.value.bool_value = value
    elif isinstance(value, int):
        attribute.value.int_value = min(max(value, -_MAX_INT), _MAX_INT)
    elif isinstance(value, float):
        attribute.value.double_value = value
    elif isinstance(value, tuple):
        for one in value:
            attribute.value.array_value.values.add().string_value = _unicode(one)
    else:
        attribute.value.string_value = _unicode(value)


def _unicode(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
