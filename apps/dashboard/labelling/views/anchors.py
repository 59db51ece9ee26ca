"""Anchors: did the judge move? Frozen and retired by a person, graded by workers."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, NotFound, RatibaError
from apps.dashboard.labelling.queries.anchors import anchors_page
from apps.dashboard.page_access import READ, show, staff_page
from apps.jobs.wakeups import wake_workers_on_commit
from apps.production.sampling.services.anchors import freeze_anchors, retire_anchors
from apps.tenants.context import current_slug

SEE = "production.view_anchorset"
FREEZE, RETIRE = "production.add_anchorset", "production.change_anchorset"


@staff_page(SEE, methods=READ)
def anchors(request: HttpRequest) -> HttpResponse:
    """Show whether the judge has drifted, and if not, who has."""
    return show(request, "labelling/anchors", "Anchors", found=anchors_page())


@staff_page(SEE, FREEZE, methods=("POST",))
def freeze(request: HttpRequest) -> HttpResponse:
    """Copy labelled conversations into an anchor set, and request its five baseline gradings. POST only."""
    try:
        made = freeze_anchors(
            config=request.POST.get("config", "").strip(),
            by=request.user.get_username(),
            now=timezone.now(),
            count=_count(request.POST.get("count", "")),
        )
    except NotFound as error:
        messages.error(request, error.message)
    except RatibaError as error:
        messages.error(request, error.message)
    else:
        wake_workers_on_commit(current_slug(), "judging")
        left = (
            f" {made.left_out} were left out, since masking may have left something of a person."
            if made.left_out
            else ""
        )
        messages.success(request, f"{made.anchors} anchors are frozen; the judge is asked about each five times.{left}")
    return redirect("anchors")


@staff_page(SEE, RETIRE, methods=("POST",))
def retire(request: HttpRequest, set_id: uuid.UUID) -> HttpResponse:
    """Retire an anchor set: it is graded no more, its results stay. POST only."""
    if retire_anchors(set_id=set_id):
        messages.success(request, "The set is retired: it is graded no more.")
    else:
        messages.info(request, "This set was retired before.")
    return redirect("anchors")


def _count(text: str) -> int:
    try:
        return int(text or 40)
    except ValueError:
        raise BadInput(f"{text!r} is no number of anchors.", code="bad_count", pointer="/count") from None
