"""The matrix of an evaluation: conversations × criteria, its menu of filters, and one cell opened."""

import uuid

from django.http import HttpRequest, HttpResponse

from apps.dashboard.page_access import READ, query_of, show, staff_page
from apps.dashboard.results.queries.matrix import matrix_page, opened_cell
from apps.dashboard.results.queries.matrix_facets import matrix_facets
from apps.dashboard.templatetags.criterion_titles import titles_for

VIEW = "evaluations.view_evaluation"


@staff_page(VIEW, methods=READ)
def matrix(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """Show the matrix: which conversations, and on what?"""
    page = matrix_page(evaluation_id, asked=query_of(request), titles=titles_for(request))
    answer = show(request, "results/matrix", f"Matrix of {page.evaluation.config_ref}", found=page)
    answer.status_code = 400 if page.wrong else 200
    return answer


@staff_page(VIEW, methods=READ)
def matrix_filters(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """The filters of the matrix: the menu of the page, a page of its own where no script runs."""
    return show(
        request, "results/matrix_filters", "Filters", facets=matrix_facets(evaluation_id, asked=request.GET.dict())
    )


@staff_page(VIEW, methods=READ)
def matrix_cell(request: HttpRequest, evaluation_id: uuid.UUID, conversation_id: uuid.UUID) -> HttpResponse:
    """Show a cell of the matrix: why this score?

    It is a panel beside the matrix, and a page of its own where no script runs.
    """
    query = request.GET.dict()
    cell = opened_cell(
        evaluation_id, conversation_id, criterion=query.get("criterion", ""), query=query.get("list", "")
    )
    return show(request, "results/matrix_cell", f"{cell.judgement.conversation}: {cell.criterion}", found=cell)
