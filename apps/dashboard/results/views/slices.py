"""Slices of an evaluation: personas, languages, prompt versions, kinds and scenarios against criteria."""

import uuid

from django.http import HttpRequest, HttpResponse

from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.results.queries.slices import slices_page


@staff_page("evaluations.view_evaluation", methods=READ)
def slices(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """Show the slices: for whom is the agent worse, and at what?"""
    page = slices_page(evaluation_id)
    return show(request, "results/slices", f"Slices of {page.evaluation.config_ref}", found=page)
