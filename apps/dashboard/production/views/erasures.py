"""Erasing a person: found first and shown, then erased by a second button; for owners."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, Conflict
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.production.queries.erasures import erasure_page, erasures_page
from apps.erasure.domain.subject import read_request
from apps.erasure.services.requests import confirm_erasure, request_erasure
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

SEE, ERASE = "erasure.view_erasure", "erasure.add_erasure"


@staff_page(SEE)
def erasures(request: HttpRequest) -> HttpResponse:
    """Show the page of erasures: whose words were deleted, when and by whom; and whose are to be deleted."""
    if request.method == "POST" and request.user.has_perm(ERASE):
        return _search(request)
    page = erasures_page(now=timezone.now())
    return show(request, "production/erasures", "Erasure", found=page, given={}, may=request.user.has_perm(ERASE))


@staff_page(SEE, methods=READ)
def erasure(request: HttpRequest, erasure_id: uuid.UUID) -> HttpResponse:
    """The page of an erasure: the text found about this person, or, afterwards, the text that was erased."""
    may = request.user.has_perm(ERASE)
    return show(request, "production/erasure", "Erasure", found=erasure_page(erasure_id, with_hits=may), may=may)


@staff_page(SEE, ERASE, methods=("POST",))
def erase(request: HttpRequest, erasure_id: uuid.UUID) -> HttpResponse:
    """Erase for good what the dry run found. POST only."""
    try:
        confirm_erasure(erasure_id=erasure_id, requested_by=request.user.get_username(), now=timezone.now())
    except Conflict as error:
        messages.error(request, error.message)
    else:
        wake_workers_on_commit(current_slug(), "erasure")
    return redirect("erasure", erasure_id)


def _search(request: HttpRequest) -> HttpResponse:
    given = {name: request.POST.get(name, "").strip() for name in ("phone", "email", "customer_id", "wa_id", "names")}
    names = [line.strip() for line in given["names"].splitlines() if line.strip()]
    body = {name: value for name, value in given.items() if value and name != "names"}
    try:
        erasure_request = read_request({**body, "names": names, "dry_run": True})
    except BadInput as error:
        context = {"found": erasures_page(now=timezone.now()), "given": given, "may": True, "problem": error.message}
        answer = show(request, "production/erasures", "Erasure", **context)
        answer.status_code = 422
        return answer
    row = request_erasure(request=erasure_request, requested_by=request.user.get_username(), now=timezone.now())
    wake_workers_on_commit(current_slug(), "erasure")
    return redirect("erasure", row.pk)
