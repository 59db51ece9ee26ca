"""The parts of all pages in every state, for whoever builds or reviews a page."""

from django.http import HttpRequest, HttpResponse

from apps.dashboard.domain.design import PARTS, samples
from apps.dashboard.views.page_access import READ, query_of, show, staff_page


@staff_page(methods=READ)
def design(request: HttpRequest) -> HttpResponse:
    """What is a page made of? No query of its own: every figure is made up."""
    return show(request, "design", "Parts of pages", parts=PARTS, **samples(query_of(request)))
