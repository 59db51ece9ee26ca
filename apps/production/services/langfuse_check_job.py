"""One read of a Langfuse, asked for by a button and done by a worker: which project answers, or what is wrong."""

import uuid
from datetime import datetime

from apps.catalog.services.outside_connections import try_connection
from apps.core.errors import NotFound
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job
from apps.production.models import LangfuseSource

KIND = "langfuse_check"


def request_langfuse_check(*, source_id: uuid.UUID, requested_by: str, now: datetime) -> uuid.UUID:
    """Owe one read of this source. Raises NotFound, and Conflict while one is on its way. Four queries."""
    if not LangfuseSource.objects.filter(pk=source_id).exists():
        raise NotFound(f"There is no Langfuse source {source_id}.")
    return request_interactive_job(kind=KIND, subject_id=source_id, requested_by=requested_by, now=now)


def run(request: InteractiveRequest) -> InteractiveStep:
    """Its version and its project's name; twenty seconds at most. Raises NotFound. Safe to repeat."""
    source = LangfuseSource.objects.filter(pk=request.subject_id).first()
    if source is None:
        raise NotFound("The source was removed.")
    answer = try_connection(source.connection)
    if "version" in answer:
        LangfuseSource.objects.filter(pk=source.pk).update(server_version=answer["version"])
    return InteractiveStep(answer=answer)
