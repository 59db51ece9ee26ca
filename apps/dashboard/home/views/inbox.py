"""The first page: what needs me?"""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from apps.dashboard.conversations.views.annotation import LABEL
from apps.dashboard.home.queries.inbox import HomeReader, home_page
from apps.dashboard.labelling.queries.rating import labelling_page
from apps.dashboard.queries.sidebar_figures import remember_home
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.identity.queries.provider import provider_of
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC
from apps.tenants.first_owner import owner_names


def home(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's callback for the admin's first page: what needs me? The platform's own host has no such page."""
    if current_schema() != PUBLIC and request.user.has_perm("runs.view_testrun"):
        reader = HomeReader(request.user.get_username(), request.user.has_perm)
        page = home_page(now=timezone.now(), titles=titles_for(request), reader=reader)
        remember_home(reader.user, len(page.needs))
        context |= {"found": page, "title": "Home"}
    elif current_schema() != PUBLIC and not request.user.get_all_permissions():
        provider = provider_of(request.user.get_username())
        context |= {"without_role": True, "owners": owner_names(), "signed_in_by": provider, "title": "Home"}
    elif current_schema() != PUBLIC and request.user.has_perm(LABEL):
        context |= {"to_rate": labelling_page(user=request.user.get_username()).left, "title": "Home"}
    return context
