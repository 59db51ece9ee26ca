"""A receiver of OTLP over HTTP on loopback: what it was sent, read by the official messages."""

import gzip
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.loopback.http_server import Answer, Request
from tests.loopback.langfuse import attributes_of


class OtlpCollector:
    """`spans` are plain attributes with their ids, name, times and events; `faults` are answered first. Only requests
    that have `headers` are let in."""

    def __init__(self, **headers: str) -> None:
        self.headers = headers
        self.spans: dict[tuple[str, str], dict[str, Any]] = {}
        self.resources: list[dict[str, Any]] = []
        self.faults: list[Answer] = []
        self.posts = 0

    def __call__(self, request: Request) -> Answer:
        self.posts += 1
        if self.faults:
            return self.faults.pop(0)
        if urlsplit(request.path).path != "/v1/traces":
            return Answer(status=404)
        if any(request.headers.get(name.replace("_", "-")) != value for name, value in self.headers.items()):
            return Answer(status=401)
        assert request.headers["content-type"] == "application/x-protobuf"
        for group in ExportTraceServiceRequest.FromString(gzip.decompress(request.body)).resource_spans:
            self.resources.append(attributes_of(group.resource))
            for span in (one for scope in group.scope_spans for one in scope.spans):
                events = [{"name": one.name, **attributes_of(one)} for one in span.events]
                self.spans[span.trace_id.hex(), span.span_id.hex()] = {
                    "name": span.name, "parent": span.parent_span_id.hex(), "status": span.status.message,
                    "events": events, **attributes_of(span),
                }  # fmt: skip
        return Answer(status=200, content_type="application/x-protobuf")
