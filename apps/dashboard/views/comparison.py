"""The page that compares two evaluations."""

from django.http import HttpRequest, HttpResponse

from apps.dashboard.queries.comparison_page import comparison_page
from apps.dashboard.views.page_access import show, staff_page


@staff_page("evaluations.view_evaluation")
def comparison(request: HttpRequest) -> HttpResponse:
    """Which is better, and for whom?"""
    asked = {name: request.GET.get(name, "") for name in ("a", "b", "only")}
    return show(request, "comparison", "Comparison", found=comparison_page(**asked))
