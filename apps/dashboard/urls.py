"""Addresses of the pages. Home is the admin's own first page (settings.UNFOLD, DASHBOARD_CALLBACK)."""

from django.urls import path
from django.views.generic import RedirectView

from apps.dashboard.views import pages, steering

urlpatterns = [
    path("", RedirectView.as_view(url="/admin/"), name="front"),
    path("runs/<uuid:run_id>/", pages.run, name="run"),
    path("runs/<uuid:run_id>/<slug:verb>/", steering.steer, name="steer"),
    path("evaluations/<uuid:evaluation_id>/", pages.evaluation, name="evaluation"),
    path("conversations/<uuid:conversation_id>/", pages.conversation, name="conversation"),
    path("usage/", pages.usage, name="usage"),
]
