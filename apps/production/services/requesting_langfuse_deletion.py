"""What a team's Langfuse may have of erased people: its deletion is owed, in the transaction that erases."""

import json
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from apps.core.plurals import many
from apps.evaluations.models import Judgement
from apps.jobs.models import OutboundDelivery
from apps.production.domain.exported_spans import trace_of_judgement
from apps.production.domain.intake_document import LANGFUSE
from apps.production.domain.langfuse_deletion_states import LangfuseDeletionStatus
from apps.production.models import LangfuseDeletion, LangfuseSource, ProductionConversation
from apps.production.services.pseudonyms import pseudonyms

KIND, ASK, LOOK = "langfuse", "ask", "look"
AT_ONCE = 20  # traces and sessions of one request: each is looked for by itself
LOOK_AFTER = timedelta(minutes=15)  # a Langfuse deletes in the background, and its reads lag by ten minutes


def request_deletions(*, conversations: Collection[uuid.UUID], now: datetime) -> list[uuid.UUID]:
    """Owe the deletion of what each Langfuse of this tenant may have of these conversations; the requests' ids. None
    where the tenant has no Langfuse. Before their ids are blanked, in the caller's transaction; six statements."""
    sources = list(LangfuseSource.objects.all())
    rows = ProductionConversation.objects.select_related("conversation").filter(conversation__in=conversations)
    known = list(rows) if sources else []
    traces, sessions, masked = _targets(known)
    targets = [("traces", one) for one in traces] + [("sessions", one) for one in sessions]
    made = list[LangfuseDeletion]()
    for source in sources if known and (targets or masked) else ():
        made += _requests(source, targets, len(known), masked, now)
    LangfuseDeletion.objects.bulk_create(made)
    asked = [one.pk for one in made if one.status == LangfuseDeletionStatus.PENDING]
    OutboundDelivery.objects.bulk_create(
        OutboundDelivery(kind=KIND, subject_id=one, event=ASK, not_before=now) for one in asked
    )
    return [one.pk for one in made]


def _requests(
    source: LangfuseSource, targets: Sequence[tuple[str, str]], conversations: int, masked: int, now: datetime
) -> list[LangfuseDeletion]:
    rows = [
        LangfuseDeletion(
            source=source, project=source.name, conversations=conversations, requested_at=now,
            targets=json.dumps({kind: [one for each, one in some if each == kind] for kind in ("traces", "sessions")}),
        )
        for some in (targets[n : n + AT_ONCE] for n in range(0, len(targets), AT_ONCE))
    ]  # fmt: skip
    if masked:  # nobody can name them to the Langfuse any more
        why = f"{many(masked, 'session')} had an id that was masked here: delete it there by hand"
        rows.append(
            LangfuseDeletion(
                source=source, project=source.name, conversations=masked, requested_at=now, ended_at=now,
                status=LangfuseDeletionStatus.REFUSED, error=why,
            )
        )  # fmt: skip
    return rows


def _targets(rows: Sequence[ProductionConversation]) -> tuple[list[str], list[str], int]:
    """Traces, sessions, and how many sessions nobody can name: what was read from a Langfuse is known by its session
    (or trace), and what we sent of it by its judgements."""
    keys = pseudonyms()
    traces, sessions, masked = [row.trace_id for row in rows if row.trace_id], list[str](), 0
    for row in rows:
        if row.conversation.source != LANGFUSE:
            continue
        if row.id_digest in keys.digests("conversation", row.external_id):
            sessions.append(row.external_id)
            traces += [row.external_id] if _is_trace(row.external_id) else []
        else:
            masked += 1
    sent = OutboundDelivery.objects.filter(kind=KIND, event__startswith="judgement").values("subject_id")
    judged = Judgement.objects.filter(conversation__in=[row.conversation_id for row in rows], pk__in=sent)
    traces += [trace_of_judgement(one) for one in judged.values_list("pk", flat=True)]
    return list(dict.fromkeys(traces)), list(dict.fromkeys(sessions)), masked


def _is_trace(id: str) -> bool:
    return len(id) == 32 and not set(id) - set("0123456789abcdef")
