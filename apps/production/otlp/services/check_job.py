"""One question to a Langfuse or a receiver of OTLP, asked for by a button and done by a worker: what answers, or
what is wrong."""

import uuid
from datetime import datetime

from apps.catalog.connections.services.outside_connections import try_connection
from apps.core.errors import NotFound
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job
from apps.production.langfuse.models import LangfuseSource
from apps.production.otlp.models import OtlpReceiver

KIND = "outside_check"


def request_outside_check(*, row_id: uuid.UUID, requested_by: str, now: datetime) -> uuid.UUID:
    """Request a check of this source or receiver. Five queries at most.
    Raises NotFound, and Conflict while one is running."""
    if _row(row_id) is None:
        raise NotFound(f"There is no Langfuse source and no OTLP receiver {row_id}.")
    return request_interactive_job(kind=KIND, subject_id=row_id, requested_by=requested_by, now=now)


def run(request: InteractiveRequest) -> InteractiveStep:
    """Try the connection and return its answer; twenty seconds at most. Raises NotFound. Safe to repeat."""
    row = _row(request.subject_id)
    if row is None:
        raise NotFound("It was removed.")
    answer = try_connection(row.connection)
    if "version" in answer:
        LangfuseSource.objects.filter(pk=row.pk).update(server_version=answer["version"])
    return InteractiveStep(answer=answer)


def _row(row_id: uuid.UUID) -> LangfuseSource | OtlpReceiver | None:
    source = LangfuseSource.objects.filter(pk=row_id).first()
    return source or OtlpReceiver.objects.select_related("connection").filter(pk=row_id).first()
