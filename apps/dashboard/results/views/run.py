"""The page of a run."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.catalog.configs.queries.versions import published_versions
from apps.dashboard.page_access import may_ask_gate, show, staff_page
from apps.dashboard.results.queries.run import run_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.reports.tables.services.exporting import ExportFormat
from apps.runs.domain.kind_traits import traits_of
from apps.runs.domain.states import RunStatus


@staff_page("runs.view_testrun")
def run(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Show the page of a run: how far is it, and why is it not moving?"""
    page = run_page(run_id, now=timezone.now(), asked=request.GET.dict(), titles=titles_for(request))
    may_steer = request.user.has_perm("runs.change_testrun")
    may_judge = request.user.has_perm("evaluations.add_evaluation") and page.run.status != RunStatus.CANCELLED
    configs = published_versions() if may_judge else {}
    may_rerun = request.user.has_perm("runs.add_testrun") and not page.live and traits_of(page.run.kind).plays
    context = {
        "found": page,
        "may_steer": may_steer,
        "may_rerun": may_rerun,
        "may_gate": may_ask_gate(request) and traits_of(page.run.kind).baseline,
        "configs": configs,
        "formats": list(ExportFormat),
    }
    return show(request, "results/run", str(page.run), **context)
