"""Taking in spans: which of them are calls of a model, of which conversation, and what is wrong with the others."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from apps.catalog.fields import Secret
from apps.connectors.tracing.otlp.reading import export_answer, inflate, read_spans
from apps.connectors.tracing.otlp.received_span import ReceivedSpan
from apps.core.errors import BadInput
from apps.core.json_hygiene import storable
from apps.core.models import new_id
from apps.jobs.wakeups import wake_workers_on_commit
from apps.production.privacy.services.pseudonyms import Pseudonyms, pseudonyms
from apps.production.rollouts.domain.trace_routing import routing_of
from apps.production.traces.domain.notices import NoticeKind, remedy_sentence
from apps.production.traces.domain.spans import SpanReading, read_span
from apps.production.traces.models import TraceSpan
from apps.tenants.context import current_slug

WORK = "trace_spans"
KEPT = timedelta(hours=24)  # of a span whose conversation nobody names
KEPT_AROUND = timedelta(hours=1)  # of a span that says something of calls which have not come
PARENT_WAIT = timedelta(seconds=20)  # exporters send a span when it has ended: calls come before what is around them
_MAX_NS = 2**63 - 1
_FARTHEST = 64  # ancestors
_ENCODINGS = ("", "identity", "gzip")
_NOTICE = """
INSERT INTO production_tracenotice (id, created_at, kind, day, spans, last_at)
VALUES (%(id)s, %(now)s, %(kind)s, %(day)s, %(spans)s, %(now)s)
ON CONFLICT (kind, day) DO UPDATE SET spans = production_tracenotice.spans + excluded.spans, last_at = excluded.last_at
"""


def take_export(*, body: bytes, media: str, encoding: str, now: datetime) -> bytes:
    """Store the model calls of an OTLP export, and the spans that describe calls; drop all other spans.

    Spans are stored encrypted, one row each (safe to repeat); workers make turns of them. The answer has the request's
    encoding. About five statements.

    Raises BadInput (`unsupported_encoding`, `unsupported_media_type`, `bad_gzip`, `body_too_large`, `bad_otlp`,
    `too_many_spans`), and then stores nothing.
    """
    if encoding not in _ENCODINGS:
        raise BadInput(f"Content-Encoding is {encoding}: send gzip or none.", code="unsupported_encoding")
    spans = read_spans(inflate(body) if encoding == "gzip" else body, media=media)
    rows, counts = _rows(spans, pseudonyms(), now)
    if rows:
        with transaction.atomic():
            TraceSpan.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
            _take_again({row.trace_id for row in rows if not row.is_call})
        wake_workers_on_commit(current_slug(), WORK)
    for kind, count in counts.items():
        note(kind, spans=count, now=now)
    message = " ".join(remedy_sentence(kind, count) for kind, count in counts.items())
    return export_answer(media=media, rejected=counts[NoticeKind.NO_TEXT], message=message)


def _take_again(trace_ids: set[str]) -> None:
    """A span came that is around calls: what was taken of these traces without it is taken once more, with what it
    says. The rows are locked in their order, as `take_traced` locks them."""
    if trace_ids:
        calls = TraceSpan.objects.filter(trace_id__in=trace_ids, is_call=True, taken_at__isnull=False)
        ids = list(calls.select_for_update().order_by("pk").values_list("pk", flat=True))
        TraceSpan.objects.filter(pk__in=ids).update(taken_at=None)


def note(kind: NoticeKind, *, spans: int, now: datetime) -> None:
    """Count it for the page. One statement."""
    with connection.cursor() as cursor:
        values: dict[str, Any] = {"id": new_id(), "now": now, "kind": kind.value, "day": now.date(), "spans": spans}
        cursor.execute(_NOTICE, values)


def _rows(
    spans: Sequence[ReceivedSpan], keys: Pseudonyms, now: datetime
) -> tuple[list[TraceSpan], Counter[NoticeKind]]:
    readings = {(span.trace_id, span.span_id): (span, read_span(span.attributes)) for span in spans}
    rows, counts = list[TraceSpan](), Counter[NoticeKind]()
    for span, reading in readings.values():
        around = not reading.is_call and bool(reading.conversation or _said_around(span))
        if not (span.trace_id and span.span_id) or not (reading.is_call or around):
            continue
        if reading.is_call:
            counts[NoticeKind.DROPPED_ATTRIBUTES] += bool(span.dropped)
            if not reading.has_text:
                counts[NoticeKind.NO_TEXT] += 1
                continue
        conversation, beside = _around(span, reading, readings)
        if not beside:
            row = _row(span, reading, conversation, keys, now)
            if reading.is_call and span.parent_id and (span.trace_id, span.parent_id) not in readings:
                row.not_before = now + PARENT_WAIT
            rows.append(row)
    return rows, +counts


def _around(
    span: ReceivedSpan, reading: SpanReading, readings: Mapping[tuple[str, str], tuple[ReceivedSpan, SpanReading]]
) -> tuple[str, bool]:
    """Return the conversation that the span or an ancestor names, and whether one is beside it.

    Beside are a guardrail's and an evaluator's spans. The outermost names the conversation: libraries put ids of their
    own on the calls, the application's id is around them.
    """
    conversation, beside = reading.conversation, reading.beside
    for _ in range(_FARTHEST):
        if (span.trace_id, span.parent_id) not in readings:
            break
        span, reading = readings[span.trace_id, span.parent_id]
        conversation, beside = reading.conversation or conversation, beside or reading.beside
    return conversation, beside


def _row(span: ReceivedSpan, reading: SpanReading, conversation: str, keys: Pseudonyms, now: datetime) -> TraceSpan:
    body: dict[str, Any] = {"fields": _said_around(span), "outermost": not span.parent_id}
    if reading.is_call:
        body = {
            "system": reading.system,
            "given": [message.as_json() for message in reading.given],
            "answered": [one.as_json() for one in reading.answered],
            "fields": _fields({**span.resource, **span.attributes}),
        }
    return TraceSpan(
        created_at=now,
        trace_id=span.trace_id,
        span_id=span.span_id,
        is_call=reading.is_call,
        conversation=Secret(conversation),
        not_before=now,
        forget_at=now + (KEPT if reading.is_call or conversation else KEPT_AROUND),
        conversation_digest=keys.digest("conversation", conversation) if conversation else "",
        started_ns=min(span.started_ns, _MAX_NS),
        ended_ns=min(span.ended_ns, _MAX_NS),
        body=Secret(json.dumps(storable(body), ensure_ascii=False, default=str)),
    )


def _fields(held: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a conversation's document beside its turns, where a span's attributes have them. `agents` are names
    of the agent, the surest first."""
    agents = [held.get(name) for name in ("ratiba.agent", "gen_ai.agent.name", "service.name")]
    named = {
        "prompt_version": held.get("ratiba.prompt_version"),
        "channel": held.get("ratiba.channel"),
        "customer_ref": held.get("user.id") or held.get("enduser.id"),
    }
    people = {name: _texts(held.get(f"ratiba.customer.{name}")) for name in ("names", "phones", "emails", "wa_ids")}
    fields: dict[str, Any] = {name: value for name, value in named.items() if isinstance(value, str) and value}
    customer = {name: texts for name, texts in people.items() if texts}
    fields |= {"agents": [agent if isinstance(agent, str) else "" for agent in agents]} if any(agents) else {}
    return fields | routing_of(held) | ({"customer": customer} if customer else {})


def _said_around(span: ReceivedSpan) -> dict[str, Any]:
    """The fields that a span around calls gives to them; only a call itself has a cost."""
    return {name: value for name, value in _fields(span.attributes).items() if name != "cost_usd"}


def _texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [one[:200] for one in listed[:20] if isinstance(one, str) and one.strip()]
