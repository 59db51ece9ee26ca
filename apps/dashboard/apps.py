"""The room's place in Django."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "apps.dashboard"
    label = "dashboard"

    def ready(self) -> None:
        """The tenant's admin opens with our Home. The platform's admin is another site and keeps its own."""
        from django.contrib import admin  # noqa: PLC0415 - sites exist once the apps are loaded

        admin.site.index_template = "dashboard/home/inbox.html"
