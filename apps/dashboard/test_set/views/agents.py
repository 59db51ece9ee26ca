"""Trying an agent's connection: asked for by a button, done by a worker, shown when it has answered."""

import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.catalog.connections.queries.agents import agent_snapshot
from apps.core.errors import Conflict
from apps.dashboard.page_access import show, staff_page
from apps.jobs.queries.interactive import interactive_job
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.agents.services.check_job import KIND, request_agent_check
from apps.tenants.context import current_slug

ASK = "runs.add_testrun"


@staff_page("catalog.view_agent")
def check_agent(request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
    """The check of an agent: its answer to one hello. POST queues the hello."""
    agent = agent_snapshot(agent_id)
    if request.method == "POST":
        if not request.user.has_perm(ASK):
            raise PermissionDenied(ASK)
        try:
            request_agent_check(agent_id=agent_id, requested_by=request.user.get_username(), now=timezone.now())
        except Conflict as error:
            messages.warning(request, error.message)
        else:
            wake_workers_on_commit(current_slug(), "interactive")
        return redirect("check_agent", agent_id)
    job = interactive_job(kind=KIND, subject_id=agent_id)
    return show(request, "test_set/check_agent", f"Test of {agent['name']}", agent=agent, job=job)
