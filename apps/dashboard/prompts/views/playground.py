"""The playground: versions of a prompt answer one kept conversation, beside each other."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.core.errors import Conflict, NotFound, RatibaError
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.prompts.domain.playground_request import read_playground
from apps.dashboard.prompts.queries.playground import playground_page, playground_start
from apps.improvement.playground.services.requesting import request_playground
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

SEE, TRY = "improvement.view_playground", "improvement.add_playground"
SEE_DRAFT, SEE_CONVERSATION = "improvement.view_promptdraft", "runs.view_conversation"


@staff_page(SEE, SEE_DRAFT, SEE_CONVERSATION, TRY)
def new_playground(request: HttpRequest) -> HttpResponse:
    """Show the start of the playground: which prompts shall answer what?

    POST asks them and opens the page of their answers.
    """
    problem = ""
    parameters = request.POST if request.method == "POST" else request.GET
    if request.method == "POST":
        try:
            made = request_playground(read_playground(request.POST), by=request.user.get_username())
        except NotFound:
            raise
        except RatibaError as error:
            problem = error.message
        else:
            wake_workers_on_commit(current_slug(), "playground")
            return redirect("playground", made)
    named = {name: parameters.get(name, "") for name in ("conversation", "prompt", "draft")}
    start = playground_start(**named)
    ticked = set(request.POST.getlist("version")) if request.method == "POST" else start.ticked
    context = {"found": start, "problem": problem, "asked": parameters, "ticked": ticked, "named": named}
    answer = show(request, "prompts/playground_new", "Playground", **context)
    answer.status_code = 422 if problem else 200
    return answer


@staff_page(SEE, SEE_CONVERSATION, methods=READ)
def playground(request: HttpRequest, playground_id: uuid.UUID) -> HttpResponse:
    """Show the page of a playground: which answer is better?"""
    try:
        page = playground_page(playground_id)
    except Conflict as error:  # its conversation belongs to a hold-out by now
        raise NotFound(error.message) from error
    return show(request, "prompts/playground", "Playground", page=page, found=page.found)
