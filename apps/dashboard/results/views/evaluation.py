"""The page of an evaluation."""

import uuid

from django.http import HttpRequest, HttpResponse

from apps.dashboard.page_access import show, staff_page
from apps.dashboard.results.queries.analysis import analysis_panel
from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.dashboard.results.views.analysis import ASK
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.reports.tables.services.exporting import ExportFormat


@staff_page("evaluations.view_evaluation")
def evaluation(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """Show an evaluation: is the agent good, and can I believe it?"""
    page = evaluation_page(
        evaluation_id,
        state=request.GET.get("state", ""),
        number=request.GET.get("page", "1"),
        titles=titles_for(request),
    )
    return show(
        request,
        "results/evaluation",
        f"{page.evaluation.config_ref} on {page.evaluation.run}",
        found=page,
        formats=list(ExportFormat),
        panel=analysis_panel(evaluation_id),
        may_analyse=request.user.has_perm(ASK),
    )
