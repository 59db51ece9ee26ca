"""Asking for an evaluation: freeze what it depends on, and owe its judgements."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.catalog.queries import resolve_config
from apps.core.conversation import ConversationDocument
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.inserting import insert_together
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.services.models_in_force import with_models_in_force
from apps.evaluations.services.owing import owe_judgements
from apps.runs.domain.states import RunStatus
from apps.runs.models import TestRun
from apps.runs.services.importing import ImportBatch, check_documents, imported_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """What a caller gets back at once."""

    evaluation_id: uuid.UUID
    run_id: uuid.UUID


def request_evaluation(
    *,
    config: str,
    now: datetime,
    run_id: uuid.UUID | None = None,
    documents: Sequence[ConversationDocument] | None = None,
    triggered_by: str = "",
    run_analyzer: bool = False,
    callback_url: str = "",
) -> Requested:
    """Evaluate a run that exists, or documents given inline (they become an imported run).

    One service for the webhook, the admin and the command line. All or nothing: an unknown criterion
    (`unknown_criteria`), config, version or run refuses before anything is stored. Raises BadInput, NotFound,
    Conflict. Costs no model call: workers pay what this owes. Not safe to repeat (doors keep idempotency keys).
    """
    if (run_id is None) == (documents is None):
        raise BadInput("Give either test_run_id or conversations.", code="run_or_conversations", pointer="")
    snapshot = with_models_in_force(resolve_config(config))
    if documents is not None:
        check_documents(documents)
    elif run_id is not None:
        _check_run(run_id)
    evaluation = Evaluation(
        created_at=now,
        config_version_id=snapshot.version_id,
        config_ref=snapshot.ref,
        snapshot=snapshot.as_json(),
        triggered_by=triggered_by[:100],
        run_analyzer=run_analyzer,
        callback_url=callback_url,
        progress_at=now,
    )
    with transaction.atomic(savepoint=False):  # whatever could be refused has been
        if documents is not None:
            rows = imported_rows(documents=documents, name=f"for {config}", triggered_by=triggered_by, now=now)
            _store_imported(rows, evaluation, now)
        elif run_id is not None:
            evaluation.run_id = run_id
            insert_together([evaluation])
            owe_judgements(evaluation_id=evaluation.id, now=now)
    return Requested(evaluation_id=evaluation.id, run_id=uuid.UUID(str(evaluation.run_id)))


def _store_imported(batches: Iterable[ImportBatch], evaluation: Evaluation, now: datetime) -> None:
    """Run, conversations, turns, evaluation and owed judgements: one statement for each batch."""
    for batch in batches:
        evaluation.run_id = batch.run_id
        owed = [
            Judgement(created_at=now, evaluation_id=evaluation.id, conversation_id=row.id)
            for row in batch.conversations
        ]
        first = [evaluation] if batch.runs else []
        insert_together(batch.runs, batch.conversations, batch.turns, first, owed)


def _check_run(run_id: uuid.UUID) -> None:
    """Raises NotFound, and Conflict for a cancelled one. One query."""
    status = TestRun.objects.filter(pk=str(run_id)).values_list("status", flat=True).first()
    if status is None:
        raise NotFound(f"There is no test run {run_id}.", pointer="/test_run_id")
    if status == RunStatus.CANCELLED:
        raise Conflict(f"Test run {run_id} was cancelled; there is nothing to judge.", code="run_cancelled")
