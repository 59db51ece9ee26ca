"""The platform's own admin site, apart from the tenants'."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from unfold.sites import UnfoldAdminSite

from apps.tenants.queries import tenants_behind, tenants_by_state


class PlatformAdminSite(UnfoldAdminSite):
    """Admin of the platform: the register of tenants alone, not the shared tables of everybody."""

    site_title = site_header = "Ratiba Eval platform"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show how many tenants there are and in which state, with links. Two queries."""
        states = tenants_by_state()
        context = {
            **self.each_context(request),
            "title": "Platform",
            "states": states,
            "total": sum(states.values()),
            "behind": tenants_behind(),
            **(extra_context or {}),
        }
        return render(request, "tenants/home.html", context)


platform_admin = PlatformAdminSite(name="platform")
