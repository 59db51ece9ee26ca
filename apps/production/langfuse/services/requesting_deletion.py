"""Owe the deletion of erased people's words in a team's Langfuse, in the transaction that erases."""

import json
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from apps.core.plurals import many
from apps.evaluations.models import Judgement
from apps.jobs.models import OutboundDelivery
from apps.production.conversations.models import ProductionConversation
from apps.production.exports.domain.exported_spans import trace_of, trace_of_judgement
from apps.production.intake.domain.posted_document import LANGFUSE
from apps.production.langfuse.domain.deletion_states import LangfuseDeletionStatus
from apps.production.langfuse.models import LangfuseDeletion, LangfuseSource
from apps.production.privacy.services.pseudonyms import pseudonyms

KIND, ASK, LOOK = "langfuse", "ask", "look"
AT_ONCE = 20  # traces and sessions of one request: each is looked for by itself
LOOK_AFTER = timedelta(minutes=15)  # a Langfuse deletes in the background, and its reads lag by ten minutes


def request_deletions(*, conversations: Collection[uuid.UUID], now: datetime) -> list[uuid.UUID]:
    """Request that each Langfuse of this tenant deletes these conversations; return the requests' ids.
    [] without a Langfuse. Call it before their ids are blanked, in the caller's transaction; seven statements."""
    sources = list(LangfuseSource.objects.all())
    rows = ProductionConversation.objects.select_related("conversation").filter(conversation__in=conversations)
    traces, sessions, masked = _of_agents(list(rows) if sources else [])
    sent = _sent(conversations) if sources else []
    targets = [("traces", trace) for trace in dict.fromkeys([*traces, *sent])] + [
        ("sessions", session) for session in sessions
    ]
    made = list[LangfuseDeletion]()
    for source in sources if targets or masked else ():
        made += _requests(source, targets, len(conversations), masked, now)
    return _written(made, now)


def request_deletion_of_sent(*, conversations: Collection[uuid.UUID], now: datetime) -> list[uuid.UUID]:
    """Request the deletion of what we sent alone, for words whose time is over.

    The agent's own traces are its team's to keep. In the caller's transaction; two statements where nothing was sent.
    """
    targets = [("traces", one) for one in _sent(conversations)]
    made = list[LangfuseDeletion]()
    for source in LangfuseSource.objects.all() if targets else ():
        made += _requests(source, targets, len(conversations), 0, now)
    return _written(made, now)


def _written(made: Sequence[LangfuseDeletion], now: datetime) -> list[uuid.UUID]:
    LangfuseDeletion.objects.bulk_create(made)
    pending = [deletion.pk for deletion in made if deletion.status == LangfuseDeletionStatus.PENDING]
    OutboundDelivery.objects.bulk_create(
        OutboundDelivery(kind=KIND, subject_id=pk, event=ASK, not_before=now) for pk in pending
    )
    return [deletion.pk for deletion in made]


def _requests(
    source: LangfuseSource, targets: Sequence[tuple[str, str]], conversations: int, masked: int, now: datetime
) -> list[LangfuseDeletion]:
    rows = [
        LangfuseDeletion(
            source=source,
            project=source.name,
            project_digest=source.project_digest,
            conversations=conversations,
            requested_at=now,
            targets=json.dumps({kind: [one for each, one in some if each == kind] for kind in ("traces", "sessions")}),
        )
        for some in (targets[n : n + AT_ONCE] for n in range(0, len(targets), AT_ONCE))
    ]
    if masked:  # nobody can name them to the Langfuse any more
        why = f"{many(masked, 'session')} had an id that was masked here: delete it there by hand"
        rows.append(
            LangfuseDeletion(
                source=source,
                project=source.name,
                conversations=masked,
                requested_at=now,
                ended_at=now,
                status=LangfuseDeletionStatus.REFUSED,
                error=why,
            )
        )
    return rows


def _of_agents(rows: Sequence[ProductionConversation]) -> tuple[list[str], list[str], int]:
    """Traces, sessions, and how many sessions nobody can name: what was read from a Langfuse is known by its session,
    or its trace."""
    traces, sessions, masked = [row.trace_id for row in rows if row.trace_id], list[str](), 0
    read = [row for row in rows if row.conversation.source == LANGFUSE]
    keys = pseudonyms() if read else None
    for row in read:
        if keys is not None and row.id_digest in keys.digests("conversation", row.external_id):
            sessions.append(row.external_id)
            traces += [row.external_id] if _is_trace(row.external_id) else []
        else:
            masked += 1
    return traces, list(dict.fromkeys(sessions)), masked


def _sent(conversations: Collection[uuid.UUID]) -> list[str]:
    """The traces that we sent, or are about to send, of these conversations and their judgements. Two statements."""
    rows = OutboundDelivery.objects.filter(kind=KIND)
    played = rows.filter(event__startswith="conversation ", subject_id__in=conversations)
    attempts = played.values_list("subject_id", "event")
    judged = Judgement.objects.filter(conversation__in=conversations)
    deliveries = rows.filter(event__startswith="judgement ", subject_id__in=judged.values("pk"))
    return [
        *(trace_of(of, int(event.rpartition(" ")[2])) for of, event in attempts),
        *dict.fromkeys(trace_of_judgement(delivery) for delivery in deliveries.values_list("subject_id", flat=True)),
    ]


def _is_trace(id: str) -> bool:
    return len(id) == 32 and not set(id) - set("0123456789abcdef")
