"""Ask a model which notes tell of the same failure: the row that owes it. A worker asks (services.grouping_notes)."""

import uuid

from django.db import IntegrityError, transaction

from apps.catalog.configs.queries.judges import OFFLINE, model_in_force
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.improvement.failure_modes.domain.states import ModeStatus
from apps.improvement.failure_modes.models import FailureMode, ModeGrouping
from apps.improvement.failure_modes.queries.modes import open_notes
from apps.jobs.domain.work_states import FOR_A_WORKER

MAX_NOTES = 200  # of one question: some 120,000 characters at most
MAX_MODES = 50  # existing ones that the question names
MIN_NOTES = 4  # of fewer a person sees the groups at once


def request_grouping(*, by: str) -> uuid.UUID:
    """Request a grouping of the newest notes without a mode; return its id. Six queries, no model call.
    Raises Conflict: `too_few_notes`, `already_asked`; BadInput `no_model`."""
    notes = list(open_notes()[:MAX_NOTES])
    if len(notes) < MIN_NOTES:
        raise Conflict(
            f"{len(notes)} notes stand in no mode; from {MIN_NOTES} on a model can put them together. Write notes "
            "beside conversations, or name a mode yourself.",
            code="too_few_notes",
        )
    grouper = model_in_force("optimizer")
    if grouper.provider == OFFLINE.provider:
        raise BadInput(
            "No model is configured, and the offline rules do not understand notes: name the modes yourself, or choose "
            "a model in the settings.",
            code="no_model",
        )
    named = FailureMode.objects.filter(status=ModeStatus.NAMED).order_by("-created_at")[:MAX_MODES]
    try:
        with transaction.atomic():
            row = ModeGrouping.objects.create(
                notes=[str(note.pk) for note in notes],
                modes=[str(mode.pk) for mode in named],
                grouper=grouper.as_json(),
                requested_by=by[:150],
                waiting_for=FOR_A_WORKER,
            )
    except IntegrityError as error:
        raise Conflict("A model is asked about the notes already.", code="already_asked") from error
    log_event(EventType.GROUPING_REQUESTED, grouping=str(row.pk), notes=len(notes), by=by)
    return uuid.UUID(str(row.pk))
