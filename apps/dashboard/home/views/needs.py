"""Dismissing what needs somebody, and having it judged again, from Home."""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.dashboard.domain.figures import many
from apps.dashboard.home.domain.needs import LONGEST_KEY, STEER_RUNS
from apps.dashboard.home.queries.judging_needs import evaluations_of
from apps.dashboard.page_access import staff_page, with_message
from apps.evaluations.progress.services.reconciling import requeue_evaluations
from apps.jobs.services.dismissals import dismiss_need, show_need_again
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

HOME = "admin:index"
_STATE, _COUNT = re.compile("[0-9a-f]{64}"), re.compile("[0-9]{1,9}")


@staff_page("runs.view_testrun", methods=("POST",))
def dismiss(request: HttpRequest) -> HttpResponse:
    """Hide a to-do on Home from this person until its subject changes. POST only."""
    key, state, count = (request.POST.get(name, "") for name in ("key", "state", "count"))
    right = 0 < len(key) <= LONGEST_KEY and "\x00" not in key and _STATE.fullmatch(state) and _COUNT.fullmatch(count)
    if not right:
        messages.error(request, "There is no such thing on Home.")
        return redirect(HOME)
    user, now = request.user.get_username(), timezone.now()
    dismiss_need(user=user, key=key, state=state, count=int(count), now=now)
    messages.success(request, "Dismissed for you. It comes back when something new happens.")
    return redirect(HOME)


@staff_page("runs.view_testrun", methods=("POST",))
def show_again(request: HttpRequest) -> HttpResponse:
    """Show a dismissed to-do on Home again. POST only."""
    key = request.POST.get("key", "").replace("\x00", "")[:LONGEST_KEY]
    show_need_again(user=request.user.get_username(), key=key)
    return redirect(HOME)


@staff_page(STEER_RUNS, methods=("POST",))
def judge_again(request: HttpRequest) -> HttpResponse:
    """Have all that one cause kept from being judged judged again, in whatever evaluations. POST only."""
    now = timezone.now()
    waiting = evaluations_of(request.POST.get("key", ""), now=now)
    if not waiting:
        messages.info(request, "Nothing waits for that any more.")
        return redirect(HOME)
    wake_workers_on_commit(current_slug())
    return with_message(
        request,
        lambda: f"{many(requeue_evaluations(evaluation_ids=waiting, now=now), 'conversation')} will be judged again.",
        HOME,
    )
