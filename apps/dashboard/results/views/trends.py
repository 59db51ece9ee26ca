"""Scores over time: of tests and of real conversations, by one component."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.core.errors import BadInput
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.results.queries.trends import LABELS, trends_page
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


@staff_page("evaluations.view_evaluation", methods=READ)
def trends(request: HttpRequest) -> HttpResponse:
    """Since when is it better or worse, and was it the agent or the judge?"""
    query = {name: request.GET.get(name, "").replace("\x00", "") for name in LABELS}
    settings, problem = workflow_config(current_slug()), ""
    try:
        page = trends_page(query, settings=settings, now=timezone.now())
    except BadInput as error:
        page, problem = trends_page({}, settings=settings, now=timezone.now()), error.message
    answer = show(request, "results/trends", "Trends", found=page, problem=problem)
    answer.status_code = 400 if problem else 200
    return answer
