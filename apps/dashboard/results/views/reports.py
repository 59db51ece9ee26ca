"""The report of a run: what differs from its golden sessions, and whether it matters."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from apps.core.errors import Conflict
from apps.dashboard.domain.sentences import Headline, report_headline
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.results.queries.run import evaluation_lines
from apps.dashboard.results.queries.run_verdicts import run_evaluations
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.jobs.domain.work_states import WorkStatus
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.run_reports.queries.report_summaries import newest_summary, summary_document
from apps.reports.run_reports.queries.run_report import report_page, run_report
from apps.reports.run_reports.services.report_files import report_html, report_json, report_junit
from apps.reports.run_reports.services.requesting_summaries import request_summary
from apps.reports.templatetags.report_words import outcome_sign, verdict_sentence
from apps.runs.playing.queries.progress import find_run
from apps.tenants.context import current_slug

SUMMARISE = "runs.change_testrun"

_FILES: Mapping[str, tuple[Callable[[Mapping[str, Any]], bytes], str]] = {
    "report.json": (report_json, "application/json"),
    "report.html": (report_html, "text/html; charset=utf-8"),
    "junit.xml": (report_junit, "application/xml"),
}


@staff_page("runs.view_testrun", "runs.view_conversation", methods=READ)
def report(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """The page of a report: the differences, and whether they matter."""
    run = find_run(run_id)
    judged = run_evaluations(run_id, titles=titles_for(request))
    try:
        page, problem = report_page(run_id, number=request.GET.get("page")), ""
        document = {**page.head, "conversations": page.documents}
        headline = report_headline(
            sign=outcome_sign(document["verdict"]),
            verdict=document["verdict"],
            sentence=verdict_sentence(document),
            checked=bool(document["outcomes"]),
            judged=judged.verdicts.phrases,
        )
    except Conflict as error:
        page, problem = None, error.message
        headline = Headline(text="This run has no report yet.")
    return show(
        request,
        "results/report",
        f"Report of {run}",
        run=run,
        found=page,
        report=page and page.head,
        problem=problem,
        headline=headline,
        files=_FILES,
        evaluations=evaluation_lines(judged),
        summary=newest_summary(run_id),
    )


@staff_page("runs.view_testrun", "runs.view_conversation", methods=("GET", "HEAD", "POST"))
def report_summary(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """The report's summary in a few sentences. POST asks a model."""
    run = find_run(run_id)
    if request.method == "POST":
        if not request.user.has_perm(SUMMARISE):
            raise PermissionDenied(SUMMARISE)

        def ask() -> str:
            request_summary(run_id=run_id, by=request.user.get_username())
            wake_workers_on_commit(current_slug(), "report_summary")
            return "A model is asked. Its sentences stand here when they are written."

        return with_message(request, ask, "report", run_id)
    written = summary_document(run_id)
    try:  # of one that is still written nothing else is read: its part asks again every few seconds
        waits = written is not None and written["status"] == WorkStatus.PENDING
        shown_report, problem = {"summary": written} if waits else run_report(run_id), ""
    except Conflict as error:
        shown_report, problem = None, error.message
    return show(request, "results/report_summary", f"Summary of {run}", run=run, report=shown_report, problem=problem)


@staff_page("runs.view_testrun", "runs.view_conversation", methods=READ)
def report_file(request: HttpRequest, run_id: uuid.UUID, name: str) -> HttpResponse:
    """One of the files that the command `report` writes, with the same bytes."""
    if name not in _FILES:
        raise Http404(f"a report has the files {', '.join(_FILES)}")
    write, content_type = _FILES[name]
    try:
        content = write(run_report(run_id))
    except Conflict as error:
        raise Http404(error.message) from error
    answer = HttpResponse(content, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{str(run_id)[:8]}-{name}"'
    return answer
