"""Improving a prompt: what it would take, the optimization as it goes on, and what a person decides about its
drafts."""

import uuid
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import RatibaError
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.prompts.domain.optimization_request import read_optimization
from apps.dashboard.prompts.queries.optimization import improve_page, optimization_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.improvement.optimizer.services.requesting_optimizations import plan_optimization, request_optimization
from apps.improvement.optimizer.services.steering_optimizations import (
    cancel_optimization,
    combine_optimization,
    prove_draft,
)
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

SEE_EVALUATION, SEE_DRAFT = "evaluations.view_evaluation", "improvement.view_promptdraft"
SEE, ASK, STEER = (f"improvement.{verb}_optimization" for verb in ("view", "add", "change"))
_CHOICE = "choice "


@staff_page(SEE_EVALUATION, SEE, ASK)
def improve(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """Show the start of an optimization: how shall this prompt become better, and what will it take?

    POST starts it and opens its page; without a script `then=forecast` only says what it would take.
    """
    context: dict[str, Any] = {"problem": "", "forecast": None, "asked": request.POST}
    if request.method == "POST":
        try:
            choices = read_optimization(evaluation_id, request.POST)
            if request.POST.get("then") != "forecast":
                made = request_optimization(choices, by=request.user.get_username(), now=timezone.now())
                wake_workers_on_commit(current_slug(), "optimization")
                return redirect("optimization", made)
            context["forecast"] = plan_optimization(choices, now=timezone.now()).forecast
        except RatibaError as error:
            context["problem"] = error.message
    page = improve_page(evaluation_id)
    context |= {"found": page, "chosen": set(request.POST.getlist("persona"))}
    return show(request, "prompts/improve", "Improve this prompt", **context)


@staff_page(SEE_EVALUATION, SEE, ASK, methods=("POST",))
def improve_forecast(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """Show the cost of the optimization in the form, as a part of its page; start nothing. POST only."""
    context: dict[str, Any] = {"problem": "", "forecast": None}
    try:
        choices = read_optimization(evaluation_id, request.POST)
        context["forecast"] = plan_optimization(choices, now=timezone.now()).forecast
    except RatibaError as error:
        context["problem"] = error.message
    return show(request, "prompts/optimization_forecast", "Forecast", **context)


@staff_page(SEE, SEE_DRAFT, methods=READ)
def optimization(request: HttpRequest, optimization_id: uuid.UUID) -> HttpResponse:
    """Show the page of an optimization: which fix helps, on what, and what comes next?"""
    page = optimization_page(optimization_id, titles=titles_for(request))
    return show(request, "prompts/optimization", f"Optimization of {page.row.line.name}", page=page, found=page.found)


@staff_page(SEE, STEER, methods=("POST",))
def optimization_cancel(request: HttpRequest, optimization_id: uuid.UUID) -> HttpResponse:
    """Cancel an optimization: no further call, battle or judgement. POST only."""

    def stop() -> str:
        cancel_optimization(optimization_id, by=request.user.get_username(), now=timezone.now())
        return "Stopped. What was measured stays."

    return _steer(request, optimization_id, stop)


@staff_page(SEE, SEE_DRAFT, STEER, methods=("POST",))
def optimization_combine(request: HttpRequest, optimization_id: uuid.UUID) -> HttpResponse:
    """Combine winning fixes into a draft and try it; the form says whose text wins a conflict. POST only."""
    posted = request.POST
    choices = {name.removeprefix(_CHOICE): posted.get(name, "") for name in posted if name.startswith(_CHOICE)}

    def combine() -> str:
        combine_optimization(
            optimization_id,
            by=request.user.get_username(),
            now=timezone.now(),
            drafts=posted.getlist("d"),
            choices=choices,
        )
        return "They stand together in one draft, which is tried now: fixes that help alone may hurt together."

    return _steer(request, optimization_id, combine)


@staff_page(SEE, SEE_DRAFT, STEER, methods=("POST",))
def optimization_prove(request: HttpRequest, optimization_id: uuid.UUID) -> HttpResponse:
    """Try one draft on the hold-out, which spends a look. POST only."""

    def prove() -> str:
        draft = request.POST.get("draft") or None
        prove_draft(optimization_id, by=request.user.get_username(), now=timezone.now(), draft_id=draft)
        return "It is tried on the hold-out: what that says is the answer."

    return _steer(request, optimization_id, prove)


def _steer(request: HttpRequest, optimization_id: uuid.UUID, act: Callable[[], str]) -> HttpResponse:
    def act_and_wake() -> str:
        message = act()
        wake_workers_on_commit(current_slug(), "optimization", "trial")
        return message

    return with_message(request, act_and_wake, "optimization", optimization_id)
