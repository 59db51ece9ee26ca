"""Trying a Langfuse source or a receiver of OTLP: asked for by a button, done by a worker, shown when it answered."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import Conflict, NotFound
from apps.dashboard.page_access import show, staff_page
from apps.jobs.queries.interactive import interactive_job
from apps.jobs.wakeups import wake_workers_on_commit
from apps.production.models import LangfuseSource, OtlpReceiver
from apps.production.otlp.services.check_job import KIND, request_outside_check
from apps.tenants.context import current_slug


@staff_page("production.change_langfusesource")
def check_langfuse(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    """Show whether this Langfuse answers, and as which project. POST requests the check."""
    row = LangfuseSource.objects.defer("connection__secrets").filter(pk=source_id).first()
    return _check(request, row, source_id, "check_langfuse")


@staff_page("production.change_otlpreceiver")
def check_otlp(request: HttpRequest, receiver_id: uuid.UUID) -> HttpResponse:
    """Show whether this receiver takes an export. POST requests the check."""
    return _check(request, OtlpReceiver.objects.filter(pk=receiver_id).first(), receiver_id, "check_otlp")


def _check(
    request: HttpRequest, row: LangfuseSource | OtlpReceiver | None, row_id: uuid.UUID, page: str
) -> HttpResponse:
    if row is None:
        raise NotFound(f"There is no {'Langfuse source' if page == 'check_langfuse' else 'OTLP receiver'} {row_id}.")
    if request.method == "POST":
        try:
            request_outside_check(row_id=row_id, requested_by=request.user.get_username(), now=timezone.now())
        except Conflict as error:
            messages.warning(request, error.message)
        else:
            wake_workers_on_commit(current_slug(), "interactive")
        return redirect(page, row_id)
    job = interactive_job(kind=KIND, subject_id=row_id)
    return show(request, f"production/{page}", f"Test of {row.name}", source=row, job=job)
