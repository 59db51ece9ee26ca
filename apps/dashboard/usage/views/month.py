"""The page of a month's costs."""

from datetime import date, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from apps.dashboard.page_access import show, staff_page
from apps.dashboard.usage.queries.month import usage_page


@staff_page("budgets.view_modelcall")
def usage(request: HttpRequest) -> HttpResponse:
    """The usage page: the cost of model calls."""
    now = timezone.now()
    return show(request, "usage/month", "Usage", found=usage_page(_month(request.GET.get("month"), now), now=now))


def _month(text: str | None, now: datetime) -> date:
    if not text:
        return now.date()
    try:
        month = datetime.strptime(text, "%Y-%m").date()  # noqa: DTZ007 - a month has no zone
    except ValueError:
        raise Http404("A month is written 2026-11.") from None
    if not date.min.year < month.year < date.max.year:  # the page looks at the month before and the one after, too
        raise Http404("There was no such month.")
    return month
