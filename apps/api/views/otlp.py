"""OTLP/HTTP: an instrumented agent already needs this address and a key of the scope write."""

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.connectors.tracing.otlp.reading import PROTOBUF
from apps.production.traces.services.receiving import take_export
from apps.tenants.domain.rights import Right


class OtlpTraces(ApiView):
    """Where exporters expect it: OTEL_EXPORTER_OTLP_ENDPOINT is …/api/v1/otlp, and they add /v1/traces."""

    read_right = Right.READ_PRODUCTION
    write_right = Right.BRING_PRODUCTION

    @operation(
        "postOtlpTraces",
        "Spans of an instrumented agent, protobuf or JSON: conversations are made of them",
        body="OtlpExportRequest",
        answers={200: "OtlpExportAnswer"},
    )
    def post(self, request: Request) -> HttpResponse:
        media = (request.content_type or "").partition(";")[0].strip().lower()
        encoding = request.headers.get("Content-Encoding", "").strip().lower()
        answer = take_export(body=request._request.body, media=media, encoding=encoding, now=timezone.now())
        return HttpResponse(answer, content_type=media or PROTOBUF)
