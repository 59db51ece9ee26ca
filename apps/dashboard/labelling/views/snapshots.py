"""Changed golden conversations: a person looks, and accepts or refuses."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, Conflict
from apps.dashboard.labelling.queries.snapshots import snapshot_list_page, snapshot_page
from apps.dashboard.page_access import READ, show, staff_page
from apps.gates.domain.snapshot_states import SnapshotAnswer
from apps.gates.services.snapshot_reviews import answer_snapshot

SEE, ANSWER = "gates.view_snapshotreview", "gates.change_snapshotreview"


@staff_page(SEE, methods=READ)
def snapshots(request: HttpRequest) -> HttpResponse:
    """Show the page of snapshots: which golden conversations changed, and who has to look?"""
    return show(request, "labelling/snapshots", "Snapshots", found=snapshot_list_page())


@staff_page(SEE, methods=READ)
def snapshot(request: HttpRequest, review_id: uuid.UUID) -> HttpResponse:
    """The page of a changed golden conversation: the agent's new words, to be taken as right or not."""
    page = snapshot_page(review_id)
    return show(request, "labelling/snapshot", f"Snapshot of {page.row.scenario}", found=page)


@staff_page(SEE, ANSWER, methods=("POST",))
def accept(request: HttpRequest, review_id: uuid.UUID) -> HttpResponse:
    """Accept the new conversation in the name of the signed-in person. POST only."""
    remedy = "Run `ratiba-ci snapshots review` in the repository and commit the file."
    return _answer(request, review_id, SnapshotAnswer.ACCEPT, remedy)


@staff_page(SEE, ANSWER, methods=("POST",))
def refuse(request: HttpRequest, review_id: uuid.UUID) -> HttpResponse:
    """Refuse the new conversation: the accepted one stays. POST only."""
    return _answer(request, review_id, SnapshotAnswer.REFUSE, "The test fails until the agent says it again.")


def _answer(request: HttpRequest, review_id: uuid.UUID, answer: SnapshotAnswer, told: str) -> HttpResponse:
    by, note = request.user.get_username(), request.POST.get("note", "").strip()
    try:
        row = answer_snapshot(review_id, answer, by=by, now=timezone.now(), note=note)
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"{row.scenario} is {row.status}. {told}")
    return redirect("snapshot", review_id)
