"""A Langfuse project on loopback, as the public API of version 4 answers: what it was sent is kept as a project keeps
it, spans by trace and span id, scores by id and timestamp."""

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.loopback.http_server import Answer, Request

KEY = "Basic " + base64.b64encode(b"pk:sk").decode()
SPANS, SCORES = "/api/public/otel/v1/traces", "/api/public/scores"


class LangfuseProject:
    """`faults` are answered first, whatever was asked. `spans` are plain attributes with their ids, name and times."""

    def __init__(self) -> None:
        self.spans: dict[tuple[str, str], dict[str, Any]] = {}
        self.scores: dict[tuple[str, str], dict[str, Any]] = {}
        self.requests: list[tuple[str, str]] = []
        self.documents: list[dict[str, Any]] = []  # OTLP requests as JSON
        self.faults: list[Answer] = []
        self.version = "4.60.1"
        self.more: dict[tuple[str, str], Callable[[Request], Answer]] = {}  # doors of one test

    def __call__(self, request: Request) -> Answer:
        path = urlsplit(request.path).path
        self.requests.append((request.method, path))
        if self.faults:
            return self.faults.pop(0)
        if path == "/api/public/health":
            return answer({"status": "OK", "version": self.version})
        if request.headers.get("authorization") != KEY:
            return answer({"message": "Invalid credentials", "error": "UnauthorizedError"}, status=401)
        if (request.method, path) in self.more:
            return self.more[request.method, path](request)
        doors = {("POST", SPANS): self._take_spans, ("POST", SCORES): self._take_scores}
        door = doors.get((request.method, path))
        return door(request) if door else answer({"message": "not found", "error": "LangfuseNotFoundError"}, status=404)

    def posts(self, path: str) -> int:
        return self.requests.count(("POST", path))

    def _take_spans(self, request: Request) -> Answer:
        headers = request.headers
        assert headers["content-type"] == "application/x-protobuf"
        assert headers["x-langfuse-ingestion-version"] == "4"
        body = gzip.decompress(request.body) if headers.get("content-encoding") == "gzip" else request.body
        message = ExportTraceServiceRequest.FromString(body)
        self.documents.append(MessageToDict(message, use_integers_for_enums=True))
        for group in message.resource_spans:
            for scope in group.scope_spans:
                for span in scope.spans:
                    self.spans[span.trace_id.hex(), span.span_id.hex()] = {
                        "name": span.name, "parent": span.parent_span_id.hex(), "status": span.status.message,
                        "started": span.start_time_unix_nano, "ended": span.end_time_unix_nano, **attributes_of(span),
                    }  # fmt: skip
        return Answer(status=200, content_type="application/x-protobuf")

    def _take_scores(self, request: Request) -> Answer:
        for one in json.loads(request.body):
            self.scores[one["id"], one["timestamp"]] = one
        return answer({"message": "Accepted"}, status=202)


def answer(document: Any, *, status: int = 200) -> Answer:
    return Answer(status=status, body=json.dumps(document).encode())


def attributes_of(span: Any) -> dict[str, Any]:
    found = {}
    for one in span.attributes:
        kind = one.value.WhichOneof("value")
        value = getattr(one.value, kind) if kind else None
        found[one.key] = [each.string_value for each in value.values] if kind == "array_value" else value
    return found
