"""One read of a Langfuse, asked for by a button and done by a worker: which project answers, or what is wrong."""

import asyncio
import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Any

from apps.core.errors import NotFound
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job
from apps.production.models import LangfuseSource
from apps.production.services.outbound_policies import langfuse_policy

if TYPE_CHECKING:
    from apps.connectors.tracing.langfuse_address import LangfuseAddress

KIND = "langfuse_check"


def request_langfuse_check(*, source_id: uuid.UUID, requested_by: str, now: datetime) -> uuid.UUID:
    """Owe one read of this source. Raises NotFound, and Conflict while one is on its way. Four queries."""
    if not LangfuseSource.objects.filter(pk=source_id).exists():
        raise NotFound(f"There is no Langfuse source {source_id}.")
    return request_interactive_job(kind=KIND, subject_id=source_id, requested_by=requested_by, now=now)


def run(request: InteractiveRequest) -> InteractiveStep:
    """Its version and its project's name; twenty seconds at most. Raises NotFound. Safe to repeat."""
    from apps.connectors.errors import ConnectorError  # noqa: PLC0415 - a page that only asks loads no HTTP client
    from apps.production.services.langfuse_prompts import address_of  # noqa: PLC0415 - as above

    source = LangfuseSource.objects.filter(pk=request.subject_id).first()
    if source is None:
        raise NotFound("The source was removed.")
    address = address_of(source)
    try:
        answer = asyncio.run(_ask(address))
    except ConnectorError as error:
        words = error.message.replace(address.secret_key, "***") if address.secret_key else error.message
        return InteractiveStep(answer={"outcome": "wrong", "error": words[:300]})
    LangfuseSource.objects.filter(pk=source.pk).update(server_version=answer["version"])
    return InteractiveStep(answer={"outcome": "answers", **answer})


async def _ask(address: "LangfuseAddress") -> dict[str, Any]:
    from apps.connectors.outbound import outbound_client  # noqa: PLC0415 - as in run
    from apps.connectors.tracing.langfuse_server import project_name, server_version  # noqa: PLC0415 - as in run

    async with outbound_client(langfuse_policy()) as client:
        version = await server_version(client, address)
        return {"version": version, "project": await project_name(client, address)}
