"""OTLP/HTTP in: an ExportTraceServiceRequest, protobuf or JSON, as plain spans; and the answer in the same encoding."""

import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from apps.connectors.tracing.otlp.json_spans import json_spans
from apps.connectors.tracing.otlp.received_span import ReceivedSpan
from apps.connectors.tracing.otlp.span_ids import span_id_of, trace_id_of
from apps.core.errors import BadInput

PROTOBUF, JSON = "application/x-protobuf", "application/json"
MAX_BYTES = 32 * 1024 * 1024  # unpacked: 512 spans of 40 turns have some 2 MB
MAX_SPANS = 20_000


def inflate(body: bytes, *, most: int = MAX_BYTES) -> bytes:
    """Unpack a gzip body. Raises BadInput (`body_too_large`) as soon as the unpacked body is longer than `most`,
    without unpacking the rest; BadInput (`bad_gzip`) for what is none, is cut off, or holds more than one member."""
    packed = zlib.decompressobj(31)
    try:
        plain = packed.decompress(body, most + 1)
    except zlib.error:
        raise BadInput("The body is not gzip, though Content-Encoding says so.", code="bad_gzip") from None
    if len(plain) > most:
        raise BadInput(f"Unpacked, the body is larger than {most} bytes: send fewer spans.", code="body_too_large")
    if not packed.eof or packed.unused_data:
        raise BadInput("The gzip body is cut off, or holds more than one member.", code="bad_gzip")
    return plain


def read_spans(body: bytes, *, media: str) -> list[ReceivedSpan]:
    """The spans of an export request. Raises BadInput (`unsupported_media_type`, `bad_otlp`, `too_many_spans`). Pure;
    some 30 ms for 1,000 spans of protobuf and 100 of JSON. The first call loads protobuf (0.15 s)."""
    readers: dict[str, Callable[[bytes], Iterator[ReceivedSpan]]] = {PROTOBUF: _protobuf_spans, JSON: json_spans}
    if media not in readers:
        message = f"Content-Type is {media or 'missing'}: send {PROTOBUF} or {JSON}."
        raise BadInput(message, code="unsupported_media_type")
    spans = list[ReceivedSpan]()
    for span in readers[media](body):
        if len(spans) >= MAX_SPANS:
            raise BadInput(f"More than {MAX_SPANS} spans in one post: send fewer.", code="too_many_spans")
        spans.append(span)
    return spans


def export_answer(*, media: str, rejected: int, message: str) -> bytes:
    """The ExportTraceServiceResponse: empty where all was taken; else how many spans were not, and what to do."""
    partial = rejected > 0 or bool(message)
    if media == JSON:
        partial_success = (
            {"partialSuccess": {"rejectedSpans": str(rejected), "errorMessage": message}} if partial else {}
        )
        return json.dumps(partial_success, ensure_ascii=False).encode()
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: PLC0415 - 17 MB of a process
        ExportTraceServiceResponse,
    )

    answer = ExportTraceServiceResponse()
    if partial:
        answer.partial_success.rejected_spans, answer.partial_success.error_message = rejected, message
    return bytes(answer.SerializeToString())


def _protobuf_spans(body: bytes) -> Iterator[ReceivedSpan]:
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - as in export_answer
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: PLC0415 - as above
        ExportTraceServiceRequest,
    )

    try:
        request = ExportTraceServiceRequest.FromString(body)
    except DecodeError:
        raise BadInput("The body is no ExportTraceServiceRequest.", code="bad_otlp") from None
    for group in request.resource_spans:
        resource = {attribute.key: _value(attribute.value) for attribute in group.resource.attributes}
        for scope in group.scope_spans:
            for span in scope.spans:
                yield ReceivedSpan(
                    trace_id=trace_id_of(span.trace_id.hex(), span),
                    span_id=span_id_of(span.span_id.hex(), span),
                    parent_id=span_id_of(span.parent_span_id.hex()),
                    name=span.name,
                    started_ns=span.start_time_unix_nano,
                    ended_ns=span.end_time_unix_nano,
                    dropped=span.dropped_attributes_count,
                    resource=resource,
                    attributes={attribute.key: _value(attribute.value) for attribute in span.attributes},
                )


def _value(value: Any) -> Any:
    """A protobuf AnyValue as plain data; the decoder bounds its depth."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    if kind == "kvlist_value":
        return {one.key: _value(one.value) for one in value.kvlist_value.values}
    return getattr(value, kind) if kind else None
