"""Addresses on a tenant's host. Each room brings its own list; nothing is decided here."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

admin.autodiscover()
urlpatterns: list[URLPattern | URLResolver] = [path("admin/", admin.site.urls)]
for _prefix, _room in (("api/v1/", "apps.api.urls"), ("", "apps.identity.urls"), ("", "apps.dashboard.urls")):
    if find_spec(_room) is not None:  # a room without pages has no list
        urlpatterns.append(path(_prefix, include(_room)))

# Under /api/ these answer in problem+json; elsewhere with Django's own pages.
handler400 = "apps.api.problems.bad_request"
handler403 = "apps.api.problems.permission_denied"
handler404 = "apps.api.problems.not_found"
handler500 = "apps.api.problems.server_error"
