"""A hello to an agent, asked for by a button and sent by a worker."""

import uuid
from datetime import datetime

from apps.catalog.connections.queries.agents import agent_snapshot
from apps.core.redaction import redact
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job

KIND = "agent_check"
MAX_WAIT_S = 60.0
MAX_REPLY = 2_000


def request_agent_check(*, agent_id: uuid.UUID, requested_by: str, now: datetime) -> uuid.UUID:
    """Request a greeting to this agent. Raises NotFound, and Conflict while one is running. Four queries."""
    agent_snapshot(agent_id)
    return request_interactive_job(kind=KIND, subject_id=agent_id, requested_by=requested_by, now=now)


def run(request: InteractiveRequest) -> InteractiveStep:
    """One hello, at most a minute; the reply is kept masked. Raises NotFound, BadInput (settings of no use)."""
    from apps.runs.agents.services.checking_agent import check_agent  # noqa: PLC0415 - a page that only asks loads no HTTP client

    result = check_agent(agent_id=request.subject_id, conversation=uuid.uuid4(), at_most_s=MAX_WAIT_S).as_json()
    return InteractiveStep(answer={**result, "reply": redact(result["reply"])[:MAX_REPLY], "session": None})
