"""The production page: real customers' conversations."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.dashboard.conversations.views.customers import SEE
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.production.queries.overview import production_page


@staff_page(SEE, methods=READ)
def production(request: HttpRequest) -> HttpResponse:
    """The production page: real customers' words, and the work that waits for the reader."""
    page = production_page(now=timezone.now(), chosen=request.GET.dict())
    return show(request, "production/overview", "Production", found=page, host=request.build_absolute_uri("/"))
