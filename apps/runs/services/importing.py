"""Bringing conversations in from elsewhere: a run whose conversations have already happened."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction

from apps.core.conversation import ConversationDocument
from apps.core.errors import BadInput
from apps.core.inserting import insert_together
from apps.runs.domain.states import ConversationStatus, Kind, RunStatus
from apps.runs.models import Conversation, TestRun, Turn
from apps.runs.services.turns import BATCH, turn_row


def import_documents(
    *, documents: Sequence[ConversationDocument], name: str, triggered_by: str, now: datetime
) -> uuid.UUID:
    """Store documents as a completed run of kind `imported`; all or nothing, in one transaction.

    Raises BadInput (`duplicate_id`) when two documents carry the same id, and when there are none. Costs one statement
    per 2,000 turns. Not safe to repeat: every call makes a run.
    """
    check_documents(documents)
    run = TestRun(
        created_at=now,
        kind=Kind.IMPORTED,
        status=RunStatus.COMPLETED,
        name=name[:200],
        triggered_by=triggered_by[:100],
        plan={"kind": Kind.IMPORTED.value, "name": name, "conversations": len(documents)},
        started_at=now,
        ended_at=now,
        progress_at=now,
    )
    with transaction.atomic(savepoint=False):
        runs = [run]
        for rows, turns in _batches(run, documents, now):
            insert_together(runs, rows, turns)
            runs = []
    return uuid.UUID(str(run.id))


def _batches(
    run: TestRun, documents: Sequence[ConversationDocument], now: datetime
) -> Iterator[tuple[list[Conversation], list[Turn]]]:
    """Conversations with their turns, some 2,000 turns at a time, so that memory holds one batch."""
    rows: list[Conversation] = []
    turns: list[Turn] = []
    for position, document in enumerate(documents):
        row = _conversation(run, position, document, now)
        rows.append(row)
        turns += (turn_row(row.id, place, turn) for place, turn in enumerate(document.turns))
        if len(turns) >= BATCH:
            yield rows, turns
            rows, turns = [], []
    if rows:
        yield rows, turns


def _conversation(run: TestRun, position: int, document: ConversationDocument, now: datetime) -> Conversation:
    return Conversation(
        created_at=now,
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


def check_documents(documents: Sequence[ConversationDocument]) -> None:
    """Raise BadInput for what import_documents refuses: none at all, or the same id twice. Pure."""
    if not documents:
        raise BadInput("There is no conversation to import.", code="no_conversations", pointer="/conversations")
    seen: dict[str, int] = {}
    for position, document in enumerate(documents):
        if document.id in seen:
            raise BadInput(
                f"Conversations {seen[document.id]} and {position} both have the id {document.id!r}; ids must differ.",
                code="duplicate_id",
                pointer=f"/conversations/{position}/id",
            )
        seen[document.id] = position
