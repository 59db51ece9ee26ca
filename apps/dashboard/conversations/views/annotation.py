"""The actions of a person at a conversation: disagree, note, rate, judge again, make it a test, see the calls."""

import uuid
from collections.abc import Callable
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from apps.calibration.services.labelling import add_to_round
from apps.calibration.services.remarks import add_note, disagree
from apps.core.errors import BadInput, Conflict, NotFound
from apps.dashboard.conversations.queries.annotation import calls_panel
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.evaluations.progress.services.reconciling import requeue_judgement
from apps.jobs.wakeups import wake_workers_on_commit
from apps.production.promotion.services.promoting import promote_conversation
from apps.tenants.context import current_slug

LABEL, SEE, STEER = "calibration.add_humanlabel", "runs.view_conversation", "runs.change_testrun"
OPEN_ROUND, PROMOTE = "calibration.add_labellinground", "production.add_promotion"


@staff_page(LABEL, SEE, methods=("POST",))
def disagree_with_score(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Store the score that this person would have given, and the reason. POST only."""

    def keep() -> str:
        disagree(
            evaluation_id=_evaluation(request),
            conversation_id=conversation_id,
            criterion=request.POST.get("criterion", ""),
            value=_score(request.POST.get("value", "")),
            reason=request.POST.get("reason", ""),
            rater=request.user.get_username(),
        )
        return "Saved beside the judge's score. You have seen that score, so it counts in no certificate."

    return _done(request, conversation_id, keep)


@staff_page(LABEL, SEE, methods=("POST",))
def note(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Save a note on a conversation, for other people to read. POST only."""

    def keep() -> str:
        author = request.user.get_username()
        add_note(conversation_id=conversation_id, text=request.POST.get("text", ""), author=author)
        return "Note saved."

    return _done(request, conversation_id, keep)


@staff_page(OPEN_ROUND, SEE, methods=("POST",))
def to_labelling(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Add it to the newest labelling round, for raters who have not seen its score. POST only."""

    def keep() -> str:
        item, new = add_to_round(conversation_id=conversation_id, now=timezone.now())
        return f"Added to the round of {item.round}." if new else f"It is in the round of {item.round} already."

    return _done(request, conversation_id, keep)


@staff_page("production.view_promotion", PROMOTE, methods=("POST",))
def make_a_test(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Make a masked candidate of any conversation. POST only."""
    by = request.user.get_username()
    try:
        made = promote_conversation(conversation_id=conversation_id, by=by, now=timezone.now())
    except NotFound:
        raise
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
        return redirect("conversation", conversation_id)
    if not made.created:
        messages.info(request, f"This conversation is {made.slug} already.")
    return redirect("candidate", made.promotion_id)


@staff_page(STEER, SEE, methods=("POST",))
def judge_again(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Judge again one judgement that ended in an error. POST only."""

    def keep() -> str:
        requeue_judgement(evaluation_id=_evaluation(request), conversation_id=conversation_id, now=timezone.now())
        wake_workers_on_commit(current_slug())
        return "It will be judged again."

    return _done(request, conversation_id, keep)


@staff_page(SEE, "evaluations.view_evaluation", methods=READ)
def model_calls(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Every model call for this conversation: the question, the answer and the cost."""
    panel = calls_panel(conversation_id, evaluation=request.GET.get("evaluation", ""))
    return show(request, "conversations/model_calls", f"Model calls of {panel.conversation}", found=panel)


def _done(request: HttpRequest, conversation_id: uuid.UUID, keep: Callable[[], str]) -> HttpResponse:
    """Back to the conversation as it was looked at; what was refused is said there. Raises NotFound."""
    view = {name: request.POST[name] for name in ("evaluation", "list") if request.POST.get(name)}
    return with_message(request, keep, f"{reverse('conversation', args=[conversation_id])}?{urlencode(view)}")


def _evaluation(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("evaluation", ""))
    except ValueError:
        raise NotFound("There is no such evaluation.") from None


def _score(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise BadInput(f"A score is a number from 0 to 10, not {text!r}.", pointer="/value") from None
