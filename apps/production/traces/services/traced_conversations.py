"""Conversations made of spans: all calls of one are laid over each other anew whenever another one comes."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.catalog.models import Agent
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.production.intake.services.conversations import hold_conversation, take_conversation
from apps.production.privacy.domain.people import CustomerPeople
from apps.production.privacy.services.pseudonyms import Pseudonyms, pseudonyms
from apps.production.rollouts.domain.trace_routing import joined_routing
from apps.production.traces.domain.notices import NoticeKind
from apps.production.traces.domain.spans import TracedMessage
from apps.production.traces.domain.turns import TracedCall, turns_of
from apps.production.traces.models import TraceSpan
from apps.production.traces.services.receiving import note
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

SOURCE = "otlp"
AT_ONCE = 500  # calls
WAIT, WAITS = timedelta(minutes=1), timedelta(minutes=15)  # for a span that says which conversation it is
AFTER = timedelta(hours=1)  # a conversation is over, its calls are forgotten


def take_traced(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Put one tenant's due calls into their conversations; return whether more are due.
    Each conversation in a transaction of its own. Safe to repeat and to race: the calls decide, not their order."""
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
    """The conversations of these calls: the one that their trace's spans around them name, else the call's own."""
    around = _named_around({row.trace_id for row in rows})
    named = list[str]()
    for row in rows:
        conversation = around.get(row.trace_id) or _own_or_beside(row)
        if conversation:
            if conversation != row.conversation.reveal():
                row.conversation, row.conversation_digest = conversation, keys.digest("conversation", conversation)
                row.save(update_fields=["conversation", "conversation_digest"])
            named.append(conversation)
        elif now - row.created_at >= WAITS:
            row.delete()
            note(NoticeKind.NO_CONVERSATION, spans=1, now=now)
        else:
            TraceSpan.objects.filter(pk=row.pk).update(not_before=now + WAIT)
    return list(dict.fromkeys(named))


def _named_around(trace_ids: set[str]) -> dict[str, str]:
    """Return by trace the conversation that the spans around its calls name.

    Where they name several, the outermost span's is the application's; where it names none, nobody can say. One query.
    """
    spans = TraceSpan.objects.filter(trace_id__in=trace_ids, is_call=False).exclude(conversation_digest="")
    by_trace = dict[str, tuple[set[str], set[str]]]()
    for span in spans:
        everywhere, outermost = by_trace.setdefault(span.trace_id, (set(), set()))
        everywhere.add(span.conversation.reveal())
        if _body(span).get("outermost"):
            outermost.add(span.conversation.reveal())
    settled = {trace: outermost or everywhere for trace, (everywhere, outermost) in by_trace.items()}
    return {trace: next(iter(names)) for trace, names in settled.items() if len(names) == 1}


def _own_or_beside(row: TraceSpan) -> str:
    """The conversation that the call names, else the only one that other calls of its trace name."""
    if row.conversation_digest:
        return str(row.conversation.reveal())
    beside = TraceSpan.objects.filter(trace_id=row.trace_id, is_call=True).exclude(conversation_digest="")
    names = {one.conversation.reveal() for one in beside.only("conversation")}
    return next(iter(names)) if len(names) == 1 else ""


def _take(conversation_id: str, keys: Pseudonyms, now: datetime) -> None:
    digests = keys.digests("conversation", conversation_id)
    with transaction.atomic():
        for digest in sorted(digests):
            hold_conversation(digest)  # nobody else lays fewer calls over each other meanwhile
        calls = TraceSpan.objects.filter(conversation_digest__in=digests, is_call=True)
        rows = list(calls.select_for_update().order_by("pk"))
        around = list(TraceSpan.objects.filter(trace_id__in={row.trace_id for row in rows}, is_call=False))
        ids, fresh = [row.pk for row in (*rows, *around)], sum(row.taken_at is None for row in rows)
        try:
            document = _document(
                conversation_id, rows, [(span, span.conversation_digest in digests) for span in around]
            )
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


def _document(
    conversation_id: str, rows: Sequence[TraceSpan], around: Sequence[tuple[TraceSpan, bool]]
) -> dict[str, Any] | None:
    """The conversation's document as it would be posted; None where no call holds words of a customer. `around` are the
    other spans of its traces, and whether each names this conversation: what calls say goes before what those say, and
    one that names another conversation adds the people who are masked, nothing else."""
    read = [(row, _body(row)) for row in sorted(rows, key=lambda row: (row.started_ns, row.span_id))]
    turns = turns_of([_call(row, body) for row, body in read])
    if not turns:
        return None
    outside = [(_body(row)["fields"], ours or not row.conversation_digest) for row, ours in _by_start(around)]
    calls = [body["fields"] for _, body in read]
    fields: dict[str, Any] = {}
    people = CustomerPeople()
    for conversation, ours in (*outside, *((call, True) for call in calls)):
        people = people.joined(CustomerPeople(**conversation.get("customer", {})))
        fields |= {name: value for name, value in conversation.items() if ours and name not in ("customer", "agents")}
    saying = [*(said for said, ours in outside if ours), *calls]
    fields |= joined_routing(calls, around=saying) | _agent(saying)
    customer = {"customer": json.loads(people.as_text())} if people.as_text() else {}
    return {"id": conversation_id, "source": SOURCE, "turns": turns, **fields, **customer}


def _agent(saying: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The agent that spans name, where it is one of this tenant's: the surest attribute first, then the last span."""
    named = [one["agents"] for one in saying if "agents" in one]
    agents = [name for level in zip(*named, strict=True) for name in reversed(level) if name]
    known = set(Agent.objects.filter(name__in=agents).values_list("name", flat=True))
    return next(({"agent": name} for name in agents if name in known), {})


def _by_start(around: Sequence[tuple[TraceSpan, bool]]) -> list[tuple[TraceSpan, bool]]:
    """Sort spans from the outside in: a span starts before those inside it."""
    return sorted(around, key=lambda one: (one[0].started_ns, one[0].span_id))


def _body(row: TraceSpan) -> dict[str, Any]:
    """The stored body of a span; older versions stored one agent, and no body of a span around calls."""
    body: dict[str, Any] = {"fields": {}} | json.loads(row.body.reveal() or "{}")
    if "agent" in body["fields"]:
        body["fields"]["agents"] = ["", body["fields"].pop("agent"), ""]
    return body


def _call(row: TraceSpan, body: dict[str, Any]) -> TracedCall:
    return TracedCall(
        span_id=row.span_id,
        started_ns=row.started_ns,
        ended_ns=row.ended_ns,
        system=body["system"],
        given=tuple(map(TracedMessage.from_json, body["given"])),
        answered=tuple(map(TracedMessage.from_json, body["answered"])),
    )
