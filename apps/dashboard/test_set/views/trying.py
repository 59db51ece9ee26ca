"""*Try your agent*: its address and what it does are enough for a first verdict."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.catalog.domain.states import LANGUAGES
from apps.core.errors import BadInput
from apps.dashboard.page_access import show, staff_page
from apps.evaluations.requests.domain.businesses import BUSINESSES
from apps.evaluations.requests.services.try_agent_job import KIND, request_try
from apps.jobs.queries.interactive import interactive_job
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

MAY = ("catalog.add_agent", "catalog.add_evaluatorconfig", "catalog.add_scenario", "runs.add_testrun")
TITLE = "Try your agent"


@staff_page(*MAY)
def try_agent(request: HttpRequest) -> HttpResponse:
    """Show the trial of an agent: which agent, and what does it do? POST requests the search and the first run."""
    typed = {
        name: request.POST.get(name, usual)
        for name, usual in (("address", ""), ("business", next(iter(BUSINESSES))), ("language", LANGUAGES[0]))
    }
    problem = ""
    if request.method == "POST":
        try:
            language = typed["language"] if typed["language"] in LANGUAGES else LANGUAGES[0]
            subject = request_try(
                address=typed["address"],
                business=typed["business"],
                language=language,
                requested_by=request.user.get_username(),
                now=timezone.now(),
            )
        except BadInput as error:
            problem = error.message
        else:
            wake_workers_on_commit(current_slug(), "interactive")
            return redirect("tried_agent", subject)
    return show(request, "test_set/try_agent", TITLE, businesses=BUSINESSES, typed=typed, problem=problem)


@staff_page(*MAY, methods=("GET", "HEAD"))
def tried_agent(request: HttpRequest, try_id: uuid.UUID) -> HttpResponse:
    """Show how far the trial of an agent is. It leads to the evaluation once the run was started."""
    job = interactive_job(kind=KIND, subject_id=try_id)
    if job is None:
        raise Http404("nobody tried that")
    return show(request, "test_set/tried_agent", TITLE, job=job)
