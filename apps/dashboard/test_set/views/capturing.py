"""Capturing a golden session from a page: asked for by a form, done by a worker, shown when it is there."""

import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.catalog.connections.queries.agents import agent_snapshot
from apps.core.attached_files import AttachedFile
from apps.core.errors import BadInput, Conflict
from apps.dashboard.page_access import show, staff_page
from apps.jobs.domain.interactive_states import InteractiveStatus
from apps.jobs.queries.interactive import interactive_job
from apps.jobs.queries.waits_before import waits_before
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.goldens.services.capture.capture_job import KIND, request_capture
from apps.tenants.context import current_slug

ASK = "catalog.change_goldensession"


@staff_page("catalog.view_agent", "catalog.view_goldensession")
def capture(request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
    """Show the capture: which conversation becomes a golden session, and what came of the last one?

    POST requests it.
    """
    agent, problem, given = agent_snapshot(agent_id), "", dict[str, str]()
    if request.method == "POST":
        if not request.user.has_perm(ASK):
            raise PermissionDenied(ASK)
        given = {name: request.POST.get(name, "") for name in ("ids", "name", "file_turns")}
        try:
            by = request.user.get_username()
            files = [AttachedFile(name=one.name or "", content=one.read()) for one in request.FILES.getlist("files")]
            request_capture(agent_id=agent_id, requested_by=by, now=timezone.now(), files=files, **given)
        except BadInput as error:
            problem = error.message
        except Conflict as error:
            messages.warning(request, error.message)
            return redirect("capture", agent_id)
        else:
            wake_workers_on_commit(current_slug(), "interactive")
            return redirect("capture", agent_id)
    job = interactive_job(kind=KIND, subject_id=agent_id)
    title = f"Capture a session of {agent['name']}"
    waits = job is not None and job.status == InteractiveStatus.PENDING and job.lease_token is None
    queue = waits_before(job.requested_at, now=timezone.now()) if job is not None and waits else ""
    return show(request, "test_set/capture", title, agent=agent, job=job, problem=problem, given=given, queue=queue)
