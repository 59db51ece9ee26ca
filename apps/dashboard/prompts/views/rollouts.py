"""Rollouts: what runs, what a canary came to, and what a person does with it."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, RatibaError
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.prompts.domain.rollout_request import read_rollout, read_whole
from apps.dashboard.prompts.queries.rollouts import rollout_list_page, rollout_page, rollout_start_page
from apps.production.domain.routing import routed_id
from apps.production.rollouts.services.steering import (
    change_rollout,
    plan_rollout,
    promote_rollout,
    roll_back,
    start_rollout,
    stop_rollout,
    try_conversation,
)

SEE, START, STEER = "production.view_rollout", "production.add_rollout", "production.change_rollout"


@staff_page(SEE, methods=READ)
def rollouts(request: HttpRequest) -> HttpResponse:
    """Show the page of rollouts: which prompts are on their way into production?"""
    return show(request, "prompts/rollouts", "Rollouts", found=rollout_list_page(now=timezone.now()))


@staff_page(SEE, methods=READ)
def rollout(request: HttpRequest, rollout_id: uuid.UUID) -> HttpResponse:
    """Show a rollout: is the canary worse, and may it be promoted?"""
    page = rollout_page(rollout_id, now=timezone.now())
    return show(request, "prompts/rollout", f"Rollout of {page.row.line.name}", page=page, found=page.found)


@staff_page(SEE, START)
def start(request: HttpRequest) -> HttpResponse:
    """The page that starts a rollout, with a forecast of the conversations it would see. POST starts it and opens its
    page; `then=forecast` only shows the forecast."""
    context: dict[str, Any] = {"problem": "", "forecast": None, "asked": request.POST or request.GET}
    if request.method == "POST":
        try:
            rollout_request = read_rollout(request.POST.dict())
            if request.POST.get("then") != "forecast":
                return redirect(
                    "rollout", start_rollout(rollout_request, by=request.user.get_username(), now=timezone.now())
                )
            context["forecast"] = plan_rollout(rollout_request, now=timezone.now()).forecast
        except RatibaError as error:
            context["problem"] = error.message
    role = request.POST.get("role", "") or request.GET.get("role", "")
    context["found"] = rollout_start_page(role)
    return show(request, "prompts/start_rollout", "Start a rollout", **context)


@staff_page(SEE, START, methods=("POST",))
def forecast(request: HttpRequest) -> HttpResponse:
    """Show the forecast of the rollout in the form, as a part of its page; start nothing. POST only."""
    context: dict[str, Any] = {"problem": "", "forecast": None}
    try:
        context["forecast"] = plan_rollout(read_rollout(request.POST.dict()), now=timezone.now()).forecast
    except RatibaError as error:
        context["problem"] = error.message
    return show(request, "prompts/rollout_forecast", "Forecast", **context)


@staff_page(SEE, STEER, methods=("POST",))
def change(request: HttpRequest, rollout_id: uuid.UUID) -> HttpResponse:
    """Raise a rollout's percentage, or give it more hours. POST only."""

    def keep() -> str:
        percentage, hours = request.POST.get("percentage", ""), request.POST.get("hours", "")
        change_rollout(
            rollout_id,
            by=request.user.get_username(),
            now=timezone.now(),
            percentage=read_whole(percentage, "percentage") if percentage else None,
            hours=read_whole(hours, "hours") if hours else None,
        )
        return "Changed: routers read it within ten seconds."

    return with_message(request, keep, "rollout", rollout_id)


@staff_page(SEE, STEER, methods=("POST",))
def force(request: HttpRequest, rollout_id: uuid.UUID) -> HttpResponse:
    """Send one conversation to the canary as a trial. POST only."""

    def keep() -> str:
        posted = request.POST
        try:
            caller = str(uuid.UUID(posted.get("tenant_id", "").strip()))
        except ValueError:
            raise BadInput("The caller is a UUID.", pointer="/tenant_id") from None
        conversation = posted.get("conversation_id", "").strip()
        if not 0 < len(conversation) <= 200:
            raise BadInput("Say which conversation: its id, up to 200 characters.", pointer="/conversation_id")
        try_conversation(
            rollout_id,
            tenant_id=caller,
            conversation_id=routed_id(conversation),
            by=request.user.get_username(),
            now=timezone.now(),
        )
        return "It gets the canary from the routers' next reading on."

    return with_message(request, keep, "rollout", rollout_id)


@staff_page(SEE, STEER, methods=("POST",))
def rollback(request: HttpRequest, rollout_id: uuid.UUID) -> HttpResponse:
    """Roll back: all conversations get the live prompt. POST only."""

    def keep() -> str:
        roll_back(rollout_id, by=request.user.get_username(), now=timezone.now(), reason=request.POST.get("reason", ""))
        return "Rolled back: routers read it within ten seconds."

    return with_message(request, keep, "rollout", rollout_id)


@staff_page(SEE, STEER, methods=("POST",))
def stop(request: HttpRequest, rollout_id: uuid.UUID) -> HttpResponse:
    """Stop a rollout without blaming the canary. POST only."""

    def keep() -> str:
        stop_rollout(
            rollout_id, by=request.user.get_username(), now=timezone.now(), reason=request.POST.get("reason", "")
        )
        return "Stopped: everybody gets what is live."

    return with_message(request, keep, "rollout", rollout_id)


@staff_page(SEE, STEER, methods=("POST",))
def promote(request: HttpRequest, rollout_id: uuid.UUID) -> HttpResponse:
    """Make the canary live; the signed-in person accepts what was not shown. POST only."""

    def keep() -> str:
        promote_rollout(
            rollout_id,
            by=request.user.get_username(),
            now=timezone.now(),
            acknowledged="acknowledged" in request.POST,
            reason=request.POST.get("reason", ""),
        )
        return "Promoted: it is live."

    return with_message(request, keep, "rollout", rollout_id)
