"""Bringing conversations in from elsewhere: a run whose conversations have already happened."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from apps.core.conversation import ConversationDocument, Utterance
from apps.core.document_parsing import utterance_as_json
from apps.core.errors import BadInput
from apps.runs.domain.states import ConversationStatus, Kind, RunStatus
from apps.runs.models import Conversation, TestRun, Turn

BATCH = 2000


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
    return run.id


def turn_row(conversation_id: uuid.UUID, position: int, turn: Utterance) -> Turn:
    """The row of one utterance, not saved."""
    written = utterance_as_json(turn)
    return Turn(
        conversation_id=conversation_id,
        position=position,
        role=turn.role,
        content=turn.content,
        tool_calls=written.get("tool_calls", []),
        tool_call_id=(turn.tool_call_id or "")[:200],
        name=(turn.name or "")[:200],
        ts=turn.ts,
        latency_ms=turn.latency_ms,
        attachments=written.get("attachments", []),
        extra=dict(turn.extra),
    )


def store_turns(turns: Iterable[Turn]) -> None:
    """Insert turns in batches, without holding more than one batch."""
    batch: list[Turn] = []
    for turn in turns:
        batch.append(turn)
        if len(batch) == BATCH:
            Turn.objects.bulk_create(batch)
            batch = []
    if batch:
        Turn.objects.bulk_create(batch)


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
