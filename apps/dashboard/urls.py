"""Addresses of the pages. Home is the admin's own first page (settings.UNFOLD, DASHBOARD_CALLBACK)."""

from django.urls import path
from django.views.generic import RedirectView

from apps.dashboard.views import (
    agents,
    analysis,
    calibration,
    comparison,
    design,
    exports,
    imports,
    matrix,
    pages,
    starting,
    versions,
)
from apps.dashboard.views import run_actions as steering

urlpatterns = [
    path("", RedirectView.as_view(url="/admin/"), name="front"),
    path("runs/start/", starting.start_run, name="start_run"),
    path("runs/<uuid:run_id>/", pages.run, name="run"),
    path("runs/<uuid:run_id>/evaluate/", steering.evaluate, name="evaluate"),
    path("runs/<uuid:run_id>/<slug:verb>/", steering.steer, name="steer"),
    path("evaluations/<uuid:evaluation_id>/", pages.evaluation, name="evaluation"),
    path("evaluations/<uuid:evaluation_id>/analysis/", analysis.analysis, name="analysis"),
    path("evaluations/<uuid:evaluation_id>/matrix/", matrix.matrix, name="matrix"),
    path("evaluations/<uuid:evaluation_id>/matrix/filters/", matrix.matrix_filters, name="matrix_filters"),
    path("evaluations/<uuid:evaluation_id>/matrix/<uuid:conversation_id>/", matrix.matrix_cell, name="matrix_cell"),
    path("conversations/<uuid:conversation_id>/", pages.conversation, name="conversation"),
    path("usage/", pages.usage, name="usage"),
    path("design/", design.design, name="design"),
    path("comparisons/", comparison.comparison, name="comparison"),
    path("comparisons/pair/", comparison.pair, name="comparison_pair"),
    path("comparisons/columns/", comparison.columns, name="comparison_columns"),
    path("runs/<uuid:run_id>/checks/export/<slug:format>/", exports.export_checks, name="export_checks"),
    path("runs/<uuid:run_id>/export/<slug:format>/", exports.export_run, name="export_run"),
    path("evaluations/<uuid:evaluation_id>/export/<slug:format>/", exports.export_evaluation, name="export_evaluation"),
    path("configs/<uuid:version_id>/try/", versions.try_version, name="try_version"),
    path("configs/<uuid:version_id>/compare/", versions.compare_versions, name="compare_versions"),
    path("configs/<uuid:version_id>/new-version/", versions.new_version, name="new_version"),
    path("agents/<uuid:agent_id>/check/", agents.check_agent, name="check_agent"),
    path("catalog/import/", imports.import_catalog, name="import_catalog"),
    path("conversations/import/", imports.import_conversations, name="import_conversations"),
    path("calibration/", calibration.calibration, name="calibration"),
    path("calibration/start/", calibration.calibrate, name="calibrate"),
    path("calibration/languages/", calibration.languages, name="my_languages"),
    path("calibration/human_labelled.yaml", calibration.labels_file, name="labels_file"),
    path("calibration/rounds/<uuid:round_id>/models-reviewed/", calibration.reviewed, name="models_reviewed"),
    path("calibration/<uuid:certificate_id>/", calibration.certificate, name="certificate"),
    path("labelling/", calibration.labelling, name="labelling"),
    path("labelling/<int:item_id>/", calibration.labelling, name="label_item"),
    path("labelling/<int:item_id>/save/", calibration.save_labels, name="save_labels"),
    path("catalog/export/", exports.export_catalog, name="export_catalog"),
]
