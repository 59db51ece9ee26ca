"""Bringing conversations in from elsewhere: a run whose conversations have already happened."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.domain.masking_rules import at_rest
from apps.core.conversation import ConversationDocument
from apps.core.errors import BadInput
from apps.core.inserting import insert_together
from apps.core.subject import UNNAMED, Subject
from apps.runs.conversations.models import Conversation, TestRun, Turn
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import ConversationStatus, EndReason, Kind, RunStatus
from apps.runs.services.masking_at_rest import masks_at_rest
from apps.runs.services.prompts import recorded_prompt
from apps.runs.services.turns import BATCH, turn_row


def import_documents(
    *,
    documents: Sequence[ConversationDocument],
    name: str,
    triggered_by: str,
    now: datetime,
    subject: Subject = UNNAMED,
) -> uuid.UUID:
    """Store documents as a completed run of kind `imported`; all or nothing, in one transaction.

    Raises BadInput (`duplicate_id`) when two documents carry the same id, and when there are none. Costs one statement
    per 2,000 turns. Not safe to repeat: every call makes a run.
    """
    check_documents(documents)
    with transaction.atomic(savepoint=False):
        for batch in imported_rows(documents=documents, name=name, triggered_by=triggered_by, now=now, subject=subject):
            insert_together(batch.runs, batch.conversations, batch.turns)
    return batch.run_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBatch:
    """Unsaved rows, to be written together with what else belongs to them; `runs` is empty after the first batch."""

    run_id: uuid.UUID
    runs: Sequence[TestRun]
    conversations: Sequence[Conversation]
    turns: Sequence[Turn]


def imported_rows(
    *,
    documents: Sequence[ConversationDocument],
    name: str,
    triggered_by: str,
    now: datetime,
    subject: Subject = UNNAMED,
) -> Iterator[ImportBatch]:
    """The rows of an import, some 2,000 turns at a time, so that memory holds one batch. One query.

    The documents must have passed `check_documents`.
    """
    prompt = recorded_prompt(subject).as_json()
    plan = RunPlan(kind=Kind.IMPORTED, name=name, conversations=len(documents), **prompt)
    run = TestRun(
        created_at=now,
        kind=Kind.IMPORTED,
        status=RunStatus.COMPLETED,
        name=name[:200],
        triggered_by=triggered_by[:100],
        plan=plan.as_json(),
        subject=subject.as_json(),
        started_at=now,
        ended_at=now,
        progress_at=now,
    )
    runs, rows, turns = [run], list[Conversation](), list[Turn]()
    masked = masks_at_rest()
    for position, document in enumerate(documents):
        row = _conversation(run, position, document, now, masked=masked)
        rows.append(row)
        turns += (turn_row(row.id, place, turn, masked=masked) for place, turn in enumerate(document.turns))
        if len(turns) >= BATCH:
            yield ImportBatch(run_id=run.id, runs=runs, conversations=rows, turns=turns)
            runs, rows, turns = [], [], []
    if rows:
        yield ImportBatch(run_id=run.id, runs=runs, conversations=rows, turns=turns)


def _conversation(
    run: TestRun, position: int, document: ConversationDocument, now: datetime, *, masked: bool
) -> Conversation:
    words = {"labels": dict(document.labels), "extra": dict(document.extra)}
    return Conversation(
        created_at=now,
        run=run,
        position=position,
        external_id=document.id[:200],
        kind=Kind.IMPORTED,
        status=ConversationStatus.ENDED,
        end_reason=EndReason.IMPORTED,
        language=(document.language or "")[:20],
        domain=(document.domain or "")[:100],
        source=(document.source or "")[:200],
        **at_rest(Conversation._meta.db_table, words, masked=masked),
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
