"""Bringing conversations in from elsewhere: a run whose conversations have already happened."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from apps.core.conversation import ConversationDocument
from apps.core.errors import BadInput
from apps.runs.domain.states import ConversationStatus, Kind, RunStatus
from apps.runs.models import Conversation, TestRun
from apps.runs.services.turns import BATCH, store_turns, turn_row


def import_documents(
    *, documents: Sequence[ConversationDocument], name: str, triggered_by: str, now: datetime
) -> uuid.UUID:
    """Store documents as a completed run of kind `imported`; all or nothing, in one transaction.

    Raises BadInput (`duplicate_id`) when two documents carry the same id, and when there are none. Costs three inserts
    per 2,000 rows. Not safe to repeat: every call makes a run.
    """
    if not documents:
        raise BadInput("There is no conversation to import.", code="no_conversations", pointer="/conversations")
    _refuse_duplicates(documents)
    with transaction.atomic():
        run = TestRun.objects.create(
            kind=Kind.IMPORTED,
            status=RunStatus.COMPLETED,
            name=name[:200],
            triggered_by=triggered_by[:100],
            plan={"kind": Kind.IMPORTED.value, "name": name, "conversations": len(documents)},
            started_at=now,
            ended_at=now,
            progress_at=now,
        )
        rows = [_conversation(run, position, document, now) for position, document in enumerate(documents)]
        Conversation.objects.bulk_create(rows, batch_size=BATCH)
        turns = (
            turn_row(row.id, position, turn)
            for row, document in zip(rows, documents, strict=True)
            for position, turn in enumerate(document.turns)
        )
        store_turns(turns)
    return uuid.UUID(str(run.id))


def _conversation(run: TestRun, position: int, document: ConversationDocument, now: datetime) -> Conversation:
    return Conversation(
        run=run,
        position=position,
        external_id=document.id[:200],
        kind=Kind.IMPORTED,
        status=ConversationStatus.ENDED,
        language=(document.language or "")[:20],
        domain=(document.domain or "")[:100],
        source=(document.source or "")[:200],
        labels=dict(document.labels),
        extra=dict(document.extra),
        started_at=document.turns[0].ts,
        ended_at=document.turns[-1].ts or now,
    )


def _refuse_duplicates(documents: Sequence[ConversationDocument]) -> None:
    seen: dict[str, int] = {}
    for position, document in enumerate(documents):
        if document.id in seen:
            raise BadInput(
                f"Conversations {seen[document.id]} and {position} both have the id {document.id!r}; ids must differ.",
                code="duplicate_id",
                pointer=f"/conversations/{position}/id",
            )
        seen[document.id] = position
