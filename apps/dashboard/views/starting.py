"""Starting runs from the browser: battles of personas against an agent, replays of golden sessions."""

import uuid
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, RatibaError
from apps.dashboard.queries.starting import judging_choices, start_choices
from apps.dashboard.views.page_access import show, staff_page
from apps.evaluations.services.battles import battle_run, replay_run
from apps.evaluations.services.creating import request_evaluation
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.queries.progress import left_out_of
from apps.tenants.context import current_slug

MOST_REPEATS = 50


@staff_page("runs.add_testrun", "runs.view_testrun", "catalog.view_agent")
def start_run(request: HttpRequest) -> HttpResponse:
    """What shall be played, by whom, how often and judged with what? POST starts it and opens the run."""
    may_judge = request.user.has_perm("evaluations.add_evaluation")
    context: dict[str, Any] = {"problem": "", "asked": request.POST or request.GET, "most": MOST_REPEATS}
    if request.method == "POST":
        now, by = timezone.now(), str(request.user.get_username())
        config = request.POST.get("config", "") if may_judge else ""
        try:
            with transaction.atomic():
                run_id = _start(request, now, by)
                if config:
                    request_evaluation(config=config, run_id=run_id, now=now, triggered_by=by)
        except RatibaError as error:
            context["problem"] = error.message
        else:
            for one in left_out_of(run_id):
                messages.warning(request, f"Scenario {one['scenario']} does not play: {one['why']}.")
            wake_workers_on_commit(current_slug())
            return redirect("run", run_id)
    found = start_choices()
    agent = context["asked"].get("agent", "") or next(iter(found.agents), "")
    context |= {
        "found": found,
        "configs": judging_choices(agent) if may_judge else (),
        "chosen": set(request.POST.getlist("scenario")) | set(request.POST.getlist("golden")),
    }
    return show(request, "start_run", "Start a run", **context)


def _start(request: HttpRequest, now: datetime, by: str) -> uuid.UUID:
    agent, repeats = request.POST.get("agent", ""), _repeats(request.POST.get("repeats", "1"))
    if request.POST.get("kind") == "replay":
        sessions = request.POST.getlist("golden")
        return replay_run(agent=agent, golden_sessions=sessions, repeats=repeats, now=now, triggered_by=by)
    scenarios: Any = request.POST.getlist("scenario") or "all"
    longest = _most_turns(request.POST.get("max_turns", ""))
    return battle_run(agent=agent, scenarios=scenarios, repeats=repeats, max_turns=longest, now=now, triggered_by=by)


def _most_turns(text: str) -> int | None:
    if text and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadInput("Most messages is a whole number, or empty.", pointer="/max_turns")
    return int(text) if text else None


def _repeats(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= MOST_REPEATS):
        raise BadInput(f"Repeats is a number from 1 to {MOST_REPEATS}.", pointer="/repeats")
    return int(text)
