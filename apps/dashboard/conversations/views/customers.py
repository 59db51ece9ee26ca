"""The team's remarks on a real customer's conversation."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, NotFound
from apps.dashboard.page_access import staff_page, with_message
from apps.jobs.wakeups import wake_workers_on_commit
from apps.production.conversations.domain.ratings import Rating
from apps.production.intake.services.feedback import rate_conversation
from apps.production.sampling.services.hand_picking import pick_by_hand
from apps.tenants.context import current_slug

SEE, RATE = "production.view_productionconversation", "production.add_feedback"
PICK = "evaluations.add_evaluation"
_SAVED = {True: "Saved.", False: "You have said so already: nothing changed."}


@staff_page(SEE, RATE, methods=("POST",))
def rate(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Store a thumb or comment of the team; repeating it changes nothing. POST only."""
    by, posted = request.user.get_username(), request.POST
    try:
        rating = _rating(posted.get("rating", ""))
        done = rate_conversation(
            conversation_id=conversation_id, rating=rating, comment=posted.get("comment", ""), by=by, now=timezone.now()
        )
        messages.success(request, _SAVED[done.new])
    except NotFound:
        raise
    except BadInput as error:
        messages.error(request, error.message)
    return redirect("conversation", conversation_id)


@staff_page(SEE, PICK, methods=("POST",))
def pick(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Have this conversation judged, beside the sample. POST only."""

    def owe() -> str:
        pick_by_hand(conversation_id=conversation_id, by=request.user.get_username(), now=timezone.now())
        wake_workers_on_commit(current_slug())
        return "It is being judged, apart from the sample: its score is in no mean unless chance draws it too."

    return with_message(request, owe, "conversation", conversation_id)


def _rating(text: str) -> Rating:
    try:
        return Rating(text)
    except ValueError:
        raise BadInput(f"{text!r} is no rating: up, down or comment", code="bad_option", pointer="/rating") from None
