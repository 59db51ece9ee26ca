"""Files to take along: results as tables, the catalog as YAML."""

import re
import uuid
from collections.abc import Iterator
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from apps.catalog.files.services.exporting import catalog_as_yaml
from apps.core.errors import BadInput
from apps.dashboard.page_access import READ, staff_page
from apps.evaluations.figures.queries.results import find_evaluation
from apps.reports.tables.queries.result_rows import agent_of
from apps.reports.tables.services.exporting import CONTENT_TYPES, ExportFormat, export_check_results, export_results
from apps.runs.playing.queries.progress import find_run

_UNSAFE = re.compile(r"[^A-Za-z0-9@._-]+")


@staff_page("evaluations.view_evaluation", "runs.view_conversation", methods=READ)
def export_evaluation(request: HttpRequest, evaluation_id: uuid.UUID, format: str) -> HttpResponseBase:
    """One evaluation's table, streamed: the same bytes as the command `export_results` writes."""
    chosen = _format(format)
    evaluation = find_evaluation(evaluation_id, related=("run__agent",))
    pieces = export_results(format=chosen, evaluation_id=evaluation_id)
    name = file_name(agent_of(evaluation.run), evaluation.config_ref, at=evaluation.created_at)
    return _download(pieces, f"{name}.{chosen}", CONTENT_TYPES[chosen])


@staff_page("evaluations.view_evaluation", "runs.view_conversation", methods=READ)
def export_run(request: HttpRequest, run_id: uuid.UUID, format: str) -> HttpResponseBase:
    """Every evaluation of a run in one table, streamed."""
    chosen = _format(format)
    run = find_run(run_id)
    pieces = export_results(format=chosen, run_id=run_id)
    name = file_name(agent_of(run), run.name or run.kind, at=run.created_at)
    return _download(pieces, f"{name}.{chosen}", CONTENT_TYPES[chosen])


@staff_page("runs.view_testrun", "runs.view_conversation", methods=READ)
def export_checks(request: HttpRequest, run_id: uuid.UUID, format: str) -> HttpResponseBase:
    """The results of a run's checks as a file, streamed."""
    chosen = _format(format)
    run = find_run(run_id)
    pieces = export_check_results(format=chosen, run_id=run_id)
    name = file_name("checks", agent_of(run), run.name or run.kind, at=run.created_at)
    return _download(pieces, f"{name}.{chosen}", CONTENT_TYPES[chosen])


@staff_page(
    "catalog.view_criterion", "catalog.view_evaluatorconfig", "catalog.view_agent", "catalog.view_persona", methods=READ
)
def export_catalog(request: HttpRequest) -> HttpResponse:
    """The catalog, or what `?section=criteria&name=…&name=…` asks for with all it needs, as one YAML file."""
    section, names = request.GET.get("section", ""), request.GET.getlist("name")
    try:
        text = catalog_as_yaml(section=section, names=names)
    except BadInput as error:
        raise Http404(error.message) from error
    name = _UNSAFE.sub("-", names[0] if len(names) == 1 else section or "catalog")
    answer = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.yaml"'
    return answer


def file_name(*parts: str, at: datetime) -> str:
    """Return a file name that a person recognises among downloads: `booking_booking-quality@2_2026-11-22`. Pure."""
    named = [_UNSAFE.sub("-", part).strip("-.")[:60] for part in parts]
    return "_".join([*(part for part in named if part), f"{at:%Y-%m-%d}"])


def _format(name: str) -> ExportFormat:
    try:
        return ExportFormat(name)
    except ValueError:
        raise Http404(f"There is no export as {name}.") from None


def _download(pieces: Iterator[bytes], name: str, content_type: str) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(pieces, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "no-store"
    return answer
