"""The pages on which a draft is tried.

They show what a trial would need, how it goes on, what it found, and the new families of the hold-out.
"""

import re
import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from apps.core.errors import BadInput, Conflict, RatibaError
from apps.core.identities import uuids_among
from apps.core.plurals import many
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.prompts.domain.trial_request import read_trial
from apps.dashboard.prompts.queries.starting_trials import trial_start_page
from apps.dashboard.prompts.queries.trial import draft_trial_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.improvement.domain.acceptance import LEAST_FAMILIES
from apps.improvement.drafts.domain.trial_choices import MAX_REPEATS
from apps.improvement.drafts.queries.hold_out import hold_out_document
from apps.improvement.drafts.services.placing_families import draw_hold_out, open_sealed
from apps.improvement.drafts.services.requesting_trials import plan_trial, request_trial
from apps.improvement.drafts.services.steering_trials import cancel_trial, lift_block
from apps.improvement.holdout.queries.sealing import sealed_families
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

SEE, TRY, STEER = "improvement.view_trial", "improvement.add_trial", "improvement.change_trial"
SEE_DRAFT = "improvement.view_promptdraft"


@staff_page(SEE, SEE_DRAFT, TRY)
def start_trial(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """The page that starts a trial: the cases to play and judge, and their probable cost and time. POST starts the
    trial and opens its page; without a script `then=forecast` only shows the forecast."""
    context: dict[str, Any] = {"problem": "", "forecast": None, "asked": request.POST}
    if request.method == "POST":
        try:
            choices = read_trial(request.POST)
            if request.POST.get("then") != "forecast":
                made = request_trial(draft_id, choices, by=request.user.get_username(), now=timezone.now())
                wake_workers_on_commit(current_slug(), "trial")
                return redirect("trial", made)
            context["forecast"] = plan_trial(draft_id, choices, now=timezone.now()).forecast
        except RatibaError as error:
            context["problem"] = error.message
    page = trial_start_page(draft_id)
    chosen = set(request.POST.getlist("persona"))
    version = page.draft.version.version if page.draft.version else "a refused draft"
    context |= {"found": page, "draft": page.draft, "most": MAX_REPEATS, "chosen": chosen}
    return show(request, "prompts/start_trial", f"Try {version}", **context)


@staff_page(SEE, SEE_DRAFT, TRY, methods=("POST",))
def trial_forecast(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Show the cost of the trial in the form, as a part of its page; start nothing. POST only."""
    context: dict[str, Any] = {"problem": "", "forecast": None}
    try:
        context["forecast"] = plan_trial(draft_id, read_trial(request.POST), now=timezone.now()).forecast
    except RatibaError as error:
        context["problem"] = error.message
    return show(request, "prompts/trial_forecast", "Forecast", **context)


@staff_page(SEE, SEE_DRAFT, methods=READ)
def trial(request: HttpRequest, trial_id: uuid.UUID) -> HttpResponse:
    """Show a trial: is the draft better, and what did it cost elsewhere?"""
    page = draft_trial_page(trial_id, titles=titles_for(request))
    return show(request, "prompts/trial", f"Trial of {page.row.draft.version.version}", page=page, found=page.found)


@staff_page(SEE, STEER, methods=("POST",))
def trial_cancel(request: HttpRequest, trial_id: uuid.UUID) -> HttpResponse:
    """Cancel a trial: no further battle or judgement. POST only."""

    def stop() -> str:
        cancel_trial(trial_id, by=request.user.get_username(), now=timezone.now())
        return "Stopped."

    return with_message(request, stop, "trial", trial_id)


@staff_page(SEE, STEER, methods=("POST",))
def trial_lift(request: HttpRequest, trial_id: uuid.UUID) -> HttpResponse:
    """Lift a criterion's block, with the signed-in person's reason. POST only."""
    posted = request.POST

    def lift() -> str:
        lift_block(
            trial_id,
            criterion=posted.get("criterion", ""),
            reason=posted.get("reason", ""),
            by=request.user.get_username(),
            now=timezone.now(),
        )
        return "The block is lifted. Your name and reason stand beside it."

    return with_message(request, lift, "trial", trial_id)


@staff_page(SEE, SEE_DRAFT, TRY, methods=("POST",))
def draw_families(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Fill the hold-out with families that no trial has played, and return to the trial form. POST only."""
    try:
        drawn = draw_hold_out(now=timezone.now())
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
    else:
        message = (
            f"{drawn} families of the selection are sealed now." if drawn else "Enough families are sealed already."
        )
        messages.success(request, message)
    return redirect("start_trial", draft_id)


@staff_page(SEE, "runs.view_conversation", opens=True)
def open_hold_out(request: HttpRequest) -> HttpResponse:
    """The page that opens held-out conversations: it says what opening them does. POST opens them for good, and goes on
    to where they are read."""
    conversations = uuids_among((request.GET if request.method in READ else request.POST).getlist("of"))
    follow = _here((request.GET if request.method in READ else request.POST).get("next", ""))
    if request.method == "POST":
        if not request.user.has_perm(STEER):
            raise PermissionDenied(STEER)
        opened = open_sealed(conversations, by=request.user.get_username())
        messages.success(request, f"Opened: {many(opened, 'family is', 'families are')} train from now on.")
        return redirect(follow)
    families = sealed_families(conversations)
    if not families:
        return redirect(follow)
    return show(
        request,
        "prompts/open_hold_out",
        "A hold-out",
        families=len(families),
        of=[str(conversation) for conversation in conversations],
        next=follow,
        hold_out=hold_out_document(),
        least=LEAST_FAMILIES,
    )


def _here(address: str) -> str:
    """Return the address to go on to: the given one if it is a page of ours, else the drafts."""
    return address if re.fullmatch(r"/(?![/\\])[^\\\s]*", address) else reverse("workshop")
