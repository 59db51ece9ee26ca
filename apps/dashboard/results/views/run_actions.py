"""Buttons of the run page: each calls one service, wakes workers, and goes back to the page."""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import Conflict, RatibaError
from apps.core.whole_numbers import whole_number
from apps.dashboard.domain.figures import many
from apps.dashboard.page_access import staff_page, with_message
from apps.evaluations.judging.services.completion import cancel_run_and_judging
from apps.evaluations.progress.services.reconciling import reconcile, requeue_errors
from apps.evaluations.progress.services.rerun import Repeated
from apps.evaluations.progress.services.resume import resume
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.run_reports.services.rerunning import rerun_from_turn, rerun_part
from apps.runs.playing.services.control import pause_run
from apps.runs.services.renaming import rename_run
from apps.tenants.context import current_slug


def _pause(run_id: uuid.UUID, now: datetime) -> str:
    pause_run(run_id=run_id)
    return "Paused. Conversations being played now end first."


def _resume(run_id: uuid.UUID, now: datetime) -> str:
    resume(run_id=run_id, now=now)
    return "Run resumed."


def _cancel(run_id: uuid.UUID, now: datetime) -> str:
    cancel_run_and_judging(run_id=run_id, now=now)
    return "Cancelled. What has ended keeps its results."


def _reconcile(run_id: uuid.UUID, now: datetime) -> str:
    number = reconcile(run_id=run_id, now=now)
    return f"Repaired: counted again from its rows; {many(number, 'piece')} of stuck work will be done again."


def _requeue(run_id: uuid.UUID, now: datetime) -> str:
    return f"{many(requeue_errors(run_id=run_id, now=now), 'conversation')} will be judged again."


ACTIONS: Mapping[str, Callable[[uuid.UUID, datetime], str]] = {
    "pause": _pause,
    "resume": _resume,
    "cancel": _cancel,
    "reconcile": _reconcile,
    "requeue": _requeue,
}


@staff_page("runs.change_testrun")
def steer(request: HttpRequest, run_id: uuid.UUID, verb: str) -> HttpResponse:
    """Do an action on a run, or tell that somebody else was first. POST only."""
    if verb not in ACTIONS:
        raise Http404(f"A run cannot {verb}.")
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        messages.success(request, ACTIONS[verb](run_id, timezone.now()))
    except Conflict as error:
        messages.error(request, error.message)
    else:
        wake_workers_on_commit(current_slug())
    return redirect("run", run_id)


@staff_page("runs.change_testrun", methods=("POST",))
def rename(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Rename the run. POST only."""
    name = request.POST.get("name", "")
    return with_message(request, lambda: f"It is called “{rename_run(run_id=run_id, name=name)}” now.", "run", run_id)


@staff_page("runs.add_testrun", "runs.view_testrun", methods=("POST",))
def play_again(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Play part of the run again, and open the new run. POST only."""
    only, by = request.POST.get("only", ""), str(request.user.get_username())
    return _played_again(
        request, lambda now: rerun_part(run_id=run_id, only=only, now=now, triggered_by=by), redirect("run", run_id)
    )


@staff_page("runs.add_testrun", "runs.view_testrun", methods=("POST",))
def play_from_turn(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Play one battle again from a turn on, and open the new run. POST only."""
    by = str(request.user.get_username())

    def again(now: datetime) -> Repeated:
        return rerun_from_turn(
            conversation_id=conversation_id,
            turn=_whole(request, "turn"),
            repeats=_whole(request, "repeats"),
            now=now,
            triggered_by=by,
        )

    return _played_again(request, again, redirect("conversation", conversation_id))


def _whole(request: HttpRequest, field: str) -> int:
    text = request.POST.get(field, "1")
    return whole_number(text, f"{field} is a whole number, not {text[:40]!r}", pointer=f"/{field}", most=99_999)


def _played_again(
    request: HttpRequest, again: Callable[[datetime], Repeated], back: HttpResponseRedirect
) -> HttpResponse:
    """Start the new run, judged as the evaluation that is followed was, and open it; or go back and say why not."""
    now = timezone.now()
    try:
        with transaction.atomic():  # a config that cannot judge any more starts no run
            done = again(now)
            if done.run_id and done.evaluator_config:
                by = str(request.user.get_username())
                request_evaluation(config=done.evaluator_config, run_id=done.run_id, now=now, triggered_by=by)
    except RatibaError as error:
        messages.error(request, error.message)
        return back
    if done.judged_again:
        messages.success(request, f"{many(done.judged_again, 'conversation')} will be judged again in the earlier run.")
    wake_workers_on_commit(current_slug())
    return redirect("run", done.run_id) if done.run_id else back


@staff_page("evaluations.add_evaluation", "runs.view_testrun", methods=("POST",))
def evaluate(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Judge the run with a version (`name@2`; `name`: its newest), and open the evaluation. POST only."""
    try:
        evaluation = request_evaluation(
            config=request.POST.get("config", ""),
            run_id=run_id,
            now=timezone.now(),
            triggered_by=str(request.user.get_username()),
        )
    except RatibaError as error:
        messages.error(request, error.message)
        return redirect("run", run_id)
    wake_workers_on_commit(current_slug())
    return redirect("evaluation", evaluation.evaluation_id)
