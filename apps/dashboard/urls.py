"""Addresses of the pages. Home is the admin's own first page (settings.UNFOLD, DASHBOARD_CALLBACK)."""

from django.urls import path
from django.views.generic import RedirectView

from apps.dashboard.views import comparison, exports, imports, pages, steering, versions

urlpatterns = [
    path("", RedirectView.as_view(url="/admin/"), name="front"),
    path("runs/<uuid:run_id>/", pages.run, name="run"),
    path("runs/<uuid:run_id>/evaluate/", steering.evaluate, name="evaluate"),
    path("runs/<uuid:run_id>/<slug:verb>/", steering.steer, name="steer"),
    path("evaluations/<uuid:evaluation_id>/", pages.evaluation, name="evaluation"),
    path("conversations/<uuid:conversation_id>/", pages.conversation, name="conversation"),
    path("usage/", pages.usage, name="usage"),
    path("comparisons/", comparison.comparison, name="comparison"),
    path("runs/<uuid:run_id>/export/<slug:format>/", exports.export_run, name="export_run"),
    path("evaluations/<uuid:evaluation_id>/export/<slug:format>/", exports.export_evaluation, name="export_evaluation"),
    path("configs/<uuid:version_id>/try/", versions.try_version, name="try_version"),
    path("configs/<uuid:version_id>/compare/", versions.compare_versions, name="compare_versions"),
    path("configs/<uuid:version_id>/new-version/", versions.new_version, name="new_version"),
    path("catalog/import/", imports.import_catalog, name="import_catalog"),
    path("conversations/import/", imports.import_conversations, name="import_conversations"),
    path("catalog/export/", exports.export_catalog, name="export_catalog"),
]
