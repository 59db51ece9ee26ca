"""Conversations made of spans: all calls of one are laid over each other anew whenever another one comes."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.catalog.models import Agent
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.production.domain.people import CustomerPeople
from apps.production.domain.trace_notices import NoticeKind
from apps.production.domain.trace_routing import joined_routing
from apps.production.domain.trace_spans import TracedMessage
from apps.production.domain.trace_turns import TracedCall, turns_of
from apps.production.models import TraceSpan
from apps.production.services.intake import hold_conversation, take_conversation
from apps.production.services.pseudonyms import Pseudonyms, pseudonyms
from apps.production.services.trace_intake import note
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

SOURCE = "otlp"
AT_ONCE = 500  # calls
WAIT, WAITS = timedelta(minutes=1), timedelta(minutes=15)  # for a span that says which conversation it is
AFTER = timedelta(hours=1)  # a conversation is over, its calls are forgotten


def take_traced(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Put one tenant's calls that are due into their conversations; whether more are. Each conversation in a
    transaction of its own. Safe to repeat and to race: the calls decide, not their order."""
    while True:
        pending = TraceSpan.objects.filter(is_call=True, taken_at__isnull=True, not_before__lte=now())
        rows = list(pending.order_by("not_before", "pk").defer("body")[:AT_ONCE])
        keys = pseudonyms()
        named = _named(rows, keys, now())
        for conversation_id in named:
            _take(conversation_id, keys, now())
        if len(rows) < AT_ONCE:
            return False
        if now() >= until:
            return True


def forget_spans(*, now: datetime) -> int:
    """Delete calls whose conversations are over, and those that nobody ever named. One statement."""
    deleted, _ = TraceSpan.objects.filter(forget_at__lte=now).delete()
    return deleted


def _named(rows: Sequence[TraceSpan], keys: Pseudonyms, now: datetime) -> list[str]:
    """The conversations of these calls; a call that names none is of the one that its trace names."""
    without = [row for row in rows if not row.conversation_digest]
    by_trace: dict[str, set[str]] = {}
    marked = TraceSpan.objects.filter(trace_id__in={row.trace_id for row in without}).exclude(conversation_digest="")
    for one in marked.only("trace_id", "conversation"):
        by_trace.setdefault(one.trace_id, set()).add(one.conversation.reveal())
    found = [row.conversation.reveal() for row in rows if row.conversation_digest]
    for row in without:
        named = by_trace.get(row.trace_id, set())
        if len(named) == 1:
            (conversation,) = named
            row.conversation, row.conversation_digest = conversation, keys.digest("conversation", conversation)
            row.save(update_fields=["conversation", "conversation_digest"])
            found.append(conversation)
        elif now - row.created_at >= WAITS:
            row.delete()
            note(NoticeKind.NO_CONVERSATION, spans=1, now=now)
        else:
            TraceSpan.objects.filter(pk=row.pk).update(not_before=now + WAIT)
    return list(dict.fromkeys(found))


def _take(conversation_id: str, keys: Pseudonyms, now: datetime) -> None:
    digests = keys.digests("conversation", conversation_id)
    with transaction.atomic():
        for one in sorted(digests):
            hold_conversation(one)  # nobody else lays fewer calls over each other meanwhile
        rows = list(TraceSpan.objects.filter(conversation_digest__in=digests, is_call=True))
        ids, fresh = [row.pk for row in rows], sum(row.taken_at is None for row in rows)
        try:
            document = _document(conversation_id, rows)
            if document is not None:
                with transaction.atomic():
                    take_conversation(raw=document, now=now, rewritten_by=SOURCE)
        except (BadInput, Conflict) as error:
            settled = error.code in ("conversation_settled", "conversation_deleted")
            note(NoticeKind.LATE if settled else NoticeKind.REFUSED, spans=fresh, now=now)
            log_event(EventType.REQUEST_REFUSED, code=error.code, spans=fresh)
        settle_minutes = workflow_config(current_slug()).settle_minutes
        forget_at = now + timedelta(minutes=settle_minutes) + AFTER
        TraceSpan.objects.filter(pk__in=ids, taken_at__isnull=True).update(taken_at=now)
        TraceSpan.objects.filter(pk__in=ids).update(forget_at=forget_at)


def _document(conversation_id: str, rows: Sequence[TraceSpan]) -> dict[str, Any] | None:
    """The conversation's document as it would be posted; None where no call holds words of a customer."""
    read = [(row, json.loads(row.body.reveal())) for row in sorted(rows, key=lambda one: (one.started_ns, one.span_id))]
    turns = turns_of([_call(row, body) for row, body in read])
    if not turns:
        return None
    fields: dict[str, Any] = {}
    people = CustomerPeople()
    for _, body in read:
        people = people.joined(CustomerPeople(**body["fields"].get("customer", {})))
        fields |= {name: value for name, value in body["fields"].items() if name != "customer"}
    fields |= joined_routing([body["fields"] for row, body in read if row.is_call])
    if not Agent.objects.filter(name=fields.get("agent", "")).exists():
        fields.pop("agent", None)
    customer = {"customer": json.loads(people.as_text())} if people.as_text() else {}
    return {"id": conversation_id, "source": SOURCE, "turns": turns, **fields, **customer}


def _call(row: TraceSpan, body: dict[str, Any]) -> TracedCall:
    return TracedCall(
        span_id=row.span_id, started_ns=row.started_ns, ended_ns=row.ended_ns, system=body["system"],
        given=tuple(map(TracedMessage.from_json, body["given"])),
        answered=tuple(map(TracedMessage.from_json, body["answered"])),
    )  # fmt: skip
