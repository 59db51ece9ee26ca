"""The analyzer's panel on an evaluation's page, and its button."""

import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, Conflict
from apps.dashboard.page_access import show, staff_page
from apps.dashboard.results.queries.analysis import analysis_panel
from apps.evaluations.figures.queries.results import find_evaluation
from apps.improvement.analysis.services.enqueue_analyses import request_analysis
from apps.improvement.models import Analysis
from apps.improvement.optimizer.services.requesting_proposals import FixQuestion, request_proposal
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

ASK = "evaluations.add_evaluation"


@staff_page("evaluations.view_evaluation", methods=("GET", "HEAD", "POST"))
def analysis(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """The page of the analyzer's advice on changes. POST asks the analyzer."""
    if request.method == "POST":
        return _ask(request, evaluation_id)
    evaluation = find_evaluation(evaluation_id)
    may = request.user.has_perm(ASK)
    return show(
        request,
        "results/analysis",
        f"Analysis of {evaluation.config_ref}",
        panel=analysis_panel(evaluation.pk),
        may_analyse=may,
        found=evaluation,
    )


def _ask(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    if not request.user.has_perm(ASK):
        raise PermissionDenied(ASK)
    try:
        request_analysis(evaluation_id=evaluation_id, now=timezone.now())
    except Conflict as error:
        messages.error(request, error.message)
    else:
        wake_workers_on_commit(current_slug(), "analysis")
    return redirect("evaluation", evaluation_id)


@staff_page("evaluations.view_evaluation", "improvement.add_fixproposal", methods=("POST",))
def propose_fix(request: HttpRequest, analysis_id: uuid.UUID) -> HttpResponse:
    """Ask a model for one fix of one finding; the result is a draft. POST only."""
    evaluation_id = Analysis.objects.values_list("evaluation_id", flat=True).get(pk=analysis_id)
    number = request.POST.get("finding", "")
    question = FixQuestion(
        analysis_id=analysis_id,
        finding_number=int(number) if number.isdecimal() and len(number) < 5 else 0,
        name=request.POST.get("prompt", ""),
        override_reason=request.POST.get("override_reason", ""),
    )
    try:
        request_proposal(question, by=request.user.get_username(), now=timezone.now())
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
    else:
        wake_workers_on_commit(current_slug(), "proposal")
        messages.success(request, "A model is asked. Its fix stands beside the finding when it is there.")
    return redirect("analysis", evaluation_id)
