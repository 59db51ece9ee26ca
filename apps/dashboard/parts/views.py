"""The views that people keep of a page, above its list."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from apps.core.errors import BadInput
from apps.dashboard.parts.page import drawn
from apps.reports.search.domain.saved_views import read_view_address
from apps.reports.search.queries.saved_views import views_of

register = template.Library()


@register.simple_tag(takes_context=True)
def saved_views(context: Any) -> SafeString | str:
    """One's own and the shared views of this page, the open one marked, and a form that keeps this one. One query.

    Nothing where the address is too long to be kept."""
    request = context["request"]
    try:
        here = read_view_address(request.get_full_path())
    except BadInput:
        return ""
    user = request.user.get_username()
    views = views_of(user, path=here.path)
    return drawn(
        "saved_views",
        views=views,
        user=user,
        here=here,
        csrf_token=context.get("csrf_token"),
        kept=any(view.query == here.query for view in views),
    )
