"""Trying a Langfuse source: asked for by a button, done by a worker, shown when it has answered."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import Conflict, NotFound
from apps.dashboard.views.page_access import show, staff_page
from apps.jobs.queries.interactive import interactive_job
from apps.jobs.wakeups import wake_workers_on_commit
from apps.production.models import LangfuseSource
from apps.production.services.langfuse_check_job import KIND, request_langfuse_check
from apps.tenants.context import current_slug

ASK = "production.change_langfusesource"


@staff_page(ASK)
def check_langfuse(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    """Does it answer, and as which project? POST owes the question."""
    row = LangfuseSource.objects.defer("connection__secrets").filter(pk=source_id).first()
    if row is None:
        raise NotFound(f"There is no Langfuse source {source_id}.")
    if request.method == "POST":
        try:
            request_langfuse_check(source_id=source_id, requested_by=request.user.get_username(), now=timezone.now())
        except Conflict as error:
            messages.warning(request, error.message)
        else:
            wake_workers_on_commit(current_slug(), "interactive")
        return redirect("check_langfuse", source_id)
    job = interactive_job(kind=KIND, subject_id=source_id)
    return show(request, "check_langfuse", f"Test of {row.name}", source=row, job=job)
