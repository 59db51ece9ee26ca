"""Trying an agent's connection from its page."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.core.errors import NotFound, RatibaError
from apps.dashboard.views.page_access import staff_page

LONGEST_WAIT_S = 30.0  # of a person before a page


@staff_page("catalog.view_agent", "runs.add_testrun", methods=("POST",))
def check_agent(request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
    """POST only: one hello to the agent; what came back stands above its form."""
    # The network client comes with this: 0.2 s of every web process, for one button.
    from apps.runs.services import checking_agent  # noqa: PLC0415 - see above

    page = redirect("admin:catalog_agent_change", agent_id)
    try:
        found = checking_agent.check_agent(agent_id=agent_id, conversation=uuid.uuid4(), at_most_s=LONGEST_WAIT_S)
    except NotFound:
        raise
    except RatibaError as error:
        messages.error(request, error.message)
        return page
    if found.error:
        messages.error(request, f"{found.outcome.value.capitalize()}: {found.error}")
        return page
    messages.success(request, f"It answered “{found.sent}” in {found.latency_ms} ms: {found.reply[:500]}")
    for remark in found.remarks:
        messages.warning(request, remark[:1].upper() + remark[1:] + ".")
    return page
