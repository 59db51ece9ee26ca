"""*Try your agent*: asked for by a button, done by a worker: find out how it speaks, and start its first run."""

import uuid
from datetime import datetime

from apps.connectors.discovery.web_address import normalised
from apps.core.redaction import redact
from apps.evaluations.requests.services.first_run import agent_name, business_named, start_first_run
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

KIND = "try_agent"
MAX_HELLO_S = 20.0
MAX_REPLY = 500
MAX_ADDRESS = 2_000


def request_try(*, address: str, business: str, language: str, requested_by: str, now: datetime) -> uuid.UUID:
    """Request a first run of the agent at this address; return the id by which its page asks for it.

    Raises BadInput for an address or a business that cannot be used. Two queries.
    """
    business_named(business)
    subject = uuid.uuid4()
    arguments = {
        "address": normalised(address[:MAX_ADDRESS]),
        "business": business,
        "language": language,
        "by": requested_by,
    }
    request_interactive_job(kind=KIND, subject_id=subject, requested_by=requested_by, now=now, arguments=arguments)
    return subject


def run(request: InteractiveRequest) -> InteractiveStep:
    """Find out, save the agent, start the run. Raises BadInput with all that was tried."""
    from apps.runs.agents.services.finding_agent import find_agent  # noqa: PLC0415 - a page that only asks loads no HTTP client

    arguments = request.arguments
    name = agent_name(arguments["address"])
    agent = find_agent(
        name=name,
        address=arguments["address"],
        language=arguments["language"],
        timeout_s=MAX_HELLO_S,
        on_try=lambda _line: None,
    )
    first = start_first_run(
        agent=name,
        business=business_named(arguments["business"]),
        language=arguments["language"],
        by=arguments["by"],
        now=request.now(),
    )
    wake_workers_on_commit(current_slug())
    return InteractiveStep(
        answer={
            "agent": name,
            "agent_id": str(agent.agent_id),
            "words": agent.way.words,
            "remarks": list(agent.check.remarks),
            "reply": redact(agent.check.reply)[:MAX_REPLY],
            "customers": first.customers * first.repeats,
            "run_id": str(first.run_id),
            "evaluation_id": str(first.evaluation_id),
        }
    )
