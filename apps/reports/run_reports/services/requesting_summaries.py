"""Ask a model to say in a few sentences what a report holds: the row that owes it (services.writing_summaries)."""

import uuid

from django.db import IntegrityError, transaction

from apps.catalog.configs.queries.judges import OFFLINE, model_in_force
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.reports.models import ReportSummary
from apps.reports.run_reports.queries.run_report import refuse_unfinished
from apps.runs.playing.queries.progress import find_run


def request_summary(*, run_id: uuid.UUID, by: str) -> None:
    """Request a model's summary of the report. Seven queries, no model call; the worker reads the report."""
    refuse_unfinished(find_run(run_id))
    writer = model_in_force("judge")
    if writer.provider == OFFLINE.provider:
        raise BadInput(
            "No model is configured, and the offline rules write no summaries: choose a model in the settings.",
            code="no_model",
        )
    try:
        with transaction.atomic():
            ReportSummary.objects.create(
                run_id=run_id,
                writer=writer.as_json(),
                requested_by=by[:150],
                waiting_for=FOR_A_WORKER,
            )
    except IntegrityError as error:
        raise Conflict("A model is writing the summary of this run already.", code="already_asked") from error
    log_event(EventType.SUMMARY_REQUESTED, run=str(run_id), by=by)
