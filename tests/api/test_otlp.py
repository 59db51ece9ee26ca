"""Spans of instrumented agents over HTTP: the real exporter, both encodings, bombs, and what is told of bad ones."""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.settling import settle_due
from apps.production.models import ProductionConversation, TraceNotice, TraceSpan
from apps.production.traces.services.traced_conversations import forget_spans, take_traced
from apps.runs.models import Turn
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.loopback.http_server import Answer, LoopbackServer, Request

PATH, PROTOBUF = "otlp/v1/traces", "application/x-protobuf"
FILES = Path(__file__).parents[1] / "production" / "otlp"
MASKED = [
    "Habari, braids please", "Karibu! Which day?", "Friday at ten, my number is +254 7** *** 678", "",
    '{"free": ["10:00"]}', "Friday at ten is free.", "Yes, for Wanjiku Kamau", "Booked, Wanjiku.",
]  # fmt: skip
Trace = ExportTraceServiceRequest


def sent(name: str) -> bytes:
    return gzip.decompress((FILES / f"{name}.binpb.gz").read_bytes())


def post(door: Door, body: bytes, media: str = PROTOBUF, **headers: str) -> Any:
    return door.post(PATH, body, media=media, **headers)


def work(now: datetime | None = None) -> None:
    at = now or datetime.now(UTC)
    with in_tenant("acme"):
        take_traced(now=lambda: at, until=at + timedelta(seconds=20))


def contents() -> list[str]:
    with in_tenant("acme"):
        return list(Turn.objects.order_by("conversation", "position").values_list("content", flat=True))


def parts(body: bytes) -> Iterator[bytes]:
    """Each span in a post of its own."""
    whole = Trace.FromString(body)
    for group in whole.resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                one = Trace()
                held = one.resource_spans.add(resource=group.resource)
                held.scope_spans.add().spans.append(span)
                yield one.SerializeToString()


def as_json(body: bytes) -> bytes:
    """OTLP/JSON as exporters write it: hex ids, 64-bit numbers as texts."""

    def value(one: Any) -> dict[str, Any]:
        kind = one.WhichOneof("value")
        plain = getattr(one, kind) if kind else ""
        if kind == "array_value":
            return {"arrayValue": {"values": [value(inner) for inner in plain.values]}}
        return {"stringValue": plain} if kind == "string_value" else {"intValue": str(plain)}

    groups = []
    for group in Trace.FromString(body).resource_spans:
        spans = [
            {
                "traceId": span.trace_id.hex(), "spanId": span.span_id.hex().upper(),
                "parentSpanId": span.parent_span_id.hex(), "name": span.name, "kind": 3,
                "startTimeUnixNano": str(span.start_time_unix_nano), "endTimeUnixNano": str(span.end_time_unix_nano),
                "attributes": [{"key": one.key, "value": value(one.value)} for one in span.attributes], "unknown": 1,
            }
            for scope in group.scope_spans
            for span in scope.spans
        ]  # fmt: skip
        groups.append({"resource": {}, "scopeSpans": [{"spans": spans}]})
    return json.dumps({"resourceSpans": groups}).encode()


@pytest.mark.parametrize("name, id", [("openinference", "chat-oi-1"), ("genai", "chat-ga-1")])
@pytest.mark.parametrize("how", ["protobuf", "gzip", "json"])
def test_what_instrumentations_send_becomes_one_masked_conversation(acme: Door, name: str, id: str, how: str) -> None:
    body, headers, media = sent(name), {}, PROTOBUF
    if how == "gzip":
        body, headers = gzip.compress(body), {"content_encoding": "gzip"}
    if how == "json":
        body, media = as_json(body), "application/json; charset=utf-8"
    answer = post(acme, body, media, **headers)
    assert (answer.status_code, answer.content) == (200, b"{}" if how == "json" else b"")
    work()
    assert contents() == MASKED
    with in_tenant("acme"):
        row = ProductionConversation.objects.get()
        assert (row.external_id, row.conversation.source, row.settled_at) == (id, "otlp", None)
        assert "Kamau" not in "".join(str(one) for one in TraceSpan.objects.values())


@pytest.mark.parametrize("name, id", [("adk", "adk-1"), ("adk_openinference", "adk-1"), ("llama_index", "li-1")])
def test_frameworks_that_trace_themselves_become_turns_under_the_applications_name(
    acme: Door, name: str, id: str
) -> None:
    """Google's ADK by itself and by OpenInference, LlamaIndex by OpenInference; each in a span of the application."""
    assert post(acme, sent(name)).status_code == 200
    work()
    assert contents() == MASKED[:6]
    with in_tenant("acme"):
        row = ProductionConversation.objects.get()
        assert (row.external_id, row.prompt_version) == (id, "booking@a1")


def test_what_the_real_exporter_posts_with_a_key_in_its_headers_is_taken(acme: Door) -> None:
    """OTLPSpanExporter over a socket; its own bytes, path and headers are what our application is given."""
    got: list[Request] = []

    def take(request: Request) -> Answer:
        got.append(request)
        return Answer(content_type=PROTOBUF)

    with LoopbackServer(take) as server:
        exporter = OTLPSpanExporter(
            endpoint=f"{server.url}/api/v1/{PATH}",
            headers={"Authorization": f"Bearer {acme.bearer}"},
            compression=Compression.Gzip,
        )
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("app").start_as_current_span("chat") as span:
            span.set_attribute("gen_ai.operation.name", "chat")
            span.set_attribute("gen_ai.conversation.id", "chat-1")
            span.set_attribute("ratiba.customer.names", ["Achieng"])
            for side, role in (("input", "user"), ("output", "assistant")):
                message = [{"role": role, "parts": [{"type": "text", "content": f"Achieng {side}"}]}]
                span.set_attribute(f"gen_ai.{side}.messages", json.dumps(message))
        provider.shutdown()
    (request,) = got
    headers = request.headers
    assert headers["content-encoding"] == "gzip"
    answer = Door("acme", headers["authorization"].removeprefix("Bearer ")).post(
        request.path, request.body, media=headers["content-type"], content_encoding=headers["content-encoding"]
    )
    assert (answer.status_code, answer.content) == (200, b"")
    work()
    assert contents() == ["<name> input", "<name> output"]


def test_spans_in_any_order_and_in_posts_of_their_own_make_the_same_turns(acme: Door) -> None:
    late_first = list(reversed(list(parts(sent("genai")))))
    for body in late_first:
        assert post(acme, body).status_code == 200
        work()
    assert post(acme, sent("genai")).status_code == 200  # all of it again
    work()
    work(datetime.now(UTC) + timedelta(minutes=2))  # calls that waited for the span which names their conversation
    assert contents() == MASKED
    with in_tenant("acme"):
        assert ProductionConversation.objects.count() == 1


ABOUT = {
    "ratiba.customer.names": ["Achieng"],
    "ratiba.prompt_version": "booking@a1b2c3d",
    "ratiba.channel": "web",
    "user.id": "customer-7",
    "ratiba.tenant_id": "6f1b7a52-6c9f-4c05-9a36-3c4f2f6b1d11",
    "gen_ai.conversation.id": "chat-of-the-app",
}


def turn_of(*, call: dict[str, Any], around: dict[str, Any]) -> list[bytes]:
    """A library's call with the span that the application puts around it; each in a post of its own, the call first,
    as exporters send them."""

    def attribute(name: str, value: Any) -> dict[str, Any]:
        texts = [{"stringValue": one} for one in value] if isinstance(value, list) else []
        return {"key": name, "value": {"arrayValue": {"values": texts}} if texts else {"stringValue": value}}

    def span(id: str, parent: str, attributes: dict[str, Any]) -> bytes:
        whole = {
            "traceId": "5b8efff798038103d269b633813fc60c", "spanId": id, "parentSpanId": parent,
            "startTimeUnixNano": "1795176000000000000", "endTimeUnixNano": "1795176001000000000",
            "attributes": [attribute(name, value) for name, value in attributes.items()],
        }  # fmt: skip
        return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [whole]}]}]}).encode()

    said = {"input": ("user", "My name is Achieng"), "output": ("assistant", "Karibu Achieng")}
    messages = {
        f"gen_ai.{side}.messages": json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])
        for side, (role, text) in said.items()
    }
    inner = {"gen_ai.operation.name": "chat"} | messages | call
    return [span("eee19b7ec3c1b174", "aaa19b7ec3c1b174", inner), span("aaa19b7ec3c1b174", "", around)]


@pytest.mark.parametrize("where", ["call", "around", "around, and the call has an id of its library"])
def test_what_the_application_says_counts_on_the_call_and_on_the_span_around_it(acme: Door, where: str) -> None:
    own = {"gen_ai.conversation.id": "id-of-a-library"}
    call = ABOUT if where == "call" else own if "library" in where else {}
    for body in turn_of(call=call, around={} if where == "call" else ABOUT):
        assert post(acme, body, "application/json").content == b"{}"
        work()
    work(datetime.now(UTC) + timedelta(minutes=2))
    assert contents() == ["My name is <name>", "Karibu <name>"]
    with in_tenant("acme"):
        row = ProductionConversation.objects.select_related("conversation").get()
        assert (row.external_id, str(row.caller)) == ("chat-of-the-app", ABOUT["ratiba.tenant_id"])
        assert (row.prompt_version, row.channel, bool(row.customer_ref_hmac)) == ("booking@a1b2c3d", "web", True)


def test_a_span_around_a_call_that_comes_after_it_was_taken_masks_and_names_it_too(acme: Door) -> None:
    own = {"gen_ai.conversation.id": "chat-of-the-app"}
    call, around = turn_of(call=own, around=ABOUT)
    post(acme, call, "application/json")
    work(datetime.now(UTC) + timedelta(minutes=1))
    assert contents() == ["My name is Achieng", "Karibu Achieng"]
    post(acme, around, "application/json")
    work(datetime.now(UTC) + timedelta(minutes=1))
    assert contents() == ["My name is <name>", "Karibu <name>"]


def test_spans_without_text_are_told_how_to_get_it_to_the_exporter_and_on_the_page(acme: Door) -> None:
    answer = post(acme, sent("genai_off"))
    told = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, told.rejected_spans) == (200, 7)
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY" in told.error_message
    json_told = json.loads(post(acme, as_json(sent("genai_off")), "application/json").content)["partialSuccess"]
    assert json_told["rejectedSpans"] == "7"
    with in_tenant("acme"):
        assert TraceNotice.objects.get().spans == 14


def test_dropped_attributes_are_told_with_their_remedy_and_the_spans_are_taken(acme: Door) -> None:
    whole = Trace.FromString(sent("openinference"))
    whole.resource_spans[0].scope_spans[0].spans[0].dropped_attributes_count = 9
    told = ExportTraceServiceResponse.FromString(post(acme, whole.SerializeToString()).content).partial_success
    assert (told.rejected_spans, "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT" in told.error_message) == (0, True)


def test_calls_of_a_trace_that_names_no_conversation_wait_and_are_then_forgotten(acme: Door) -> None:
    whole = Trace.FromString(sent("genai"))
    for scope in whole.resource_spans[0].scope_spans:
        kept = [span for span in scope.spans if span.name != "turn"]
        del scope.spans[:]
        scope.spans.extend(kept)
    post(acme, whole.SerializeToString())
    work()
    work(datetime.now(UTC) + timedelta(minutes=20))
    with in_tenant("acme"):
        assert not TraceSpan.objects.exists()
        assert [(one.kind, one.spans) for one in TraceNotice.objects.all()] == [("no_conversation", 7)]


def test_a_span_that_comes_after_its_conversation_is_over_changes_nothing_and_is_counted(acme: Door) -> None:
    calls = [one for one in parts(sent("openinference")) if b"llm.output_messages" in one]
    for body in calls[:4]:
        post(acme, body)
    work(datetime.now(UTC) + timedelta(minutes=1))  # calls wait a moment for the span around them
    before, later = contents(), datetime.now(UTC) + timedelta(hours=1)
    with in_tenant("acme"):
        settle_due(now=later)
    post(acme, calls[-1])
    work(later)
    assert contents() == before
    with in_tenant("acme"):
        assert TraceNotice.objects.get().kind == "late"
        forget_spans(now=later + timedelta(hours=3))
        assert not TraceSpan.objects.exists()


def test_spans_rewrite_nothing_that_was_posted(acme: Door) -> None:
    with in_tenant("acme"):
        raw = {"id": "chat-oi-1", "turns": [{"role": "user", "content": "Other words"}]}
        take_conversation(raw=raw, now=datetime.now(UTC))
    post(acme, sent("openinference"))
    work()
    assert contents() == ["Other words"]
    with in_tenant("acme"):
        assert TraceNotice.objects.get().kind == "refused"


BOMB = gzip.compress(b"\0" * (64 * 1024 * 1024))


@pytest.mark.parametrize("body, headers, status, code", [
    (b"\x0a\xff", {}, 400, "bad_otlp"), (b"{", {"media": "application/json"}, 400, "bad_otlp"),
    (b"[]", {"media": "application/json"}, 400, "bad_otlp"),
    (b"x", {"media": "text/plain"}, 415, "unsupported_media_type"),
    (b"x", {"content_encoding": "br"}, 415, "unsupported_encoding"),
    (b"x", {"content_encoding": "gzip"}, 400, "bad_gzip"),
    (gzip.compress(b"", mtime=0)[:-3], {"content_encoding": "gzip"}, 400, "bad_gzip"),
    (gzip.compress(b"", mtime=0) * 2, {"content_encoding": "gzip"}, 400, "bad_gzip"),
    (BOMB, {"content_encoding": "gzip"}, 413, "body_too_large"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_and_nothing_is_stored(
    acme: Door, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    answer = post(acme, body, **headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    with in_tenant("acme"):
        assert not TraceSpan.objects.exists()


def test_no_key_no_spans_and_another_tenants_conversation_stays_apart(acme: Door, beta: Door) -> None:
    assert post(Door("acme"), sent("genai")).status_code == 401
    assert Door("beta", acme.bearer).post(PATH, sent("genai"), media=PROTOBUF).status_code == 401
    assert post(beta, sent("openinference")).status_code == 200
    work()
    assert contents() == []


def test_an_empty_post_is_taken(acme: Door) -> None:
    assert [
        post(acme, Trace().SerializeToString() or b"\x12\x00").content,
        post(acme, b"{}", "application/json").content,
    ] == [b"", b"{}"]


@pytest.mark.parametrize(
    "ids", [{"traceId": "Wo7/95gDgQPSabYzgT/GDA==", "spanId": "7uGbfsPBsXQ="}, {"traceId": "abc", "spanId": "1"}, {}]
)
def test_spans_with_ids_of_another_form_or_none_are_taken(acme: Door, ids: dict[str, str]) -> None:
    told = {
        "gen_ai.operation.name": "chat", "gen_ai.conversation.id": "talk-1",
        "gen_ai.input.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": "Open?"}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": "Till six."}]),
    }  # fmt: skip
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
    span = {**ids, "name": "chat", "startTimeUnixNano": "1795176000000000000", "attributes": attributes}
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    for _ in range(2):  # sent again, it is the same span
        assert post(acme, body, "application/json").json() == {}
    work()
    assert contents() == ["Open?", "Till six."]
