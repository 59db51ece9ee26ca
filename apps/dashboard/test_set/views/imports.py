"""Bringing things in by the browser: a catalog as YAML (looked at first), conversations as JSON lines."""

import tempfile
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.catalog.files.domain.import_rights import sections_refused
from apps.catalog.files.services.import_report import ImportReport
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import Agent
from apps.core.errors import BadInput
from apps.core.subject import UNNAMED, Subject, read_subject
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import import_headline
from apps.dashboard.page_access import show, staff_page
from apps.runs.chat_files.domain.transcripts import reading_of
from apps.runs.imports.services.jsonl import import_file
from apps.runs.services.masking_at_rest import masks_at_rest

CATALOG_BYTES = 2 * 1024 * 1024  # a form field holds it between looking and confirming (DATA_UPLOAD_MAX_MEMORY_SIZE)
CONVERSATION_BYTES = 25 * 1024 * 1024  # larger files: the command, which reads them where they lie
SHOWN = 100  # refused lines named on the page


@staff_page("catalog.add_criterion", "catalog.change_criterion")
def import_catalog(request: HttpRequest) -> HttpResponse:
    """Show what an import would change; with `confirm` import all of it or nothing."""
    context: dict[str, Any] = {"limit": CATALOG_BYTES, "text": "", "file": "", "report": None, "problems": ()}
    if request.method != "POST":
        return show(request, "test_set/import_catalog", "Import a catalog", **context)
    confirmed = "confirm" in request.POST
    try:
        text, file = _yaml_of(request)
        context |= {"text": text, "file": file}
        now, by = timezone.now(), str(request.user.get_username())
        report = import_catalog_text(text=text, file=file, at=now, by=by, only_look=True)
        context["report"] = report
        if refused := sections_refused(report.created, report.updated, request.user):
            raise BadInput(f"Your role may not write {', '.join(refused)}: take them out of the file, or ask an owner.")
        if confirmed:
            done = import_catalog_text(text=text, file=file, at=now, by=by)
            messages.success(request, _import_sentence(done))
            for note in done.notes:
                messages.info(request, note)
            return redirect("import_catalog")
    except BadInput as error:
        context["problems"] = error.extra.get("problems") or [error.message]
    return show(request, "test_set/import_catalog", "Import a catalog", **context)


@staff_page("runs.add_testrun", "runs.view_testrun")
def import_conversations(request: HttpRequest) -> HttpResponse:
    """A file of conversations becomes a run, or golden sessions; refused lines are named, the others are kept."""
    may_golden = request.user.has_perm("catalog.add_goldensession")
    context: dict[str, Any] = {
        "limit": CONVERSATION_BYTES,
        "report": None,
        "problem": "",
        "may_golden": may_golden,
        "agents": Agent.objects.order_by("name").values_list("name", flat=True)[:SHOWN],
        "masked": masks_at_rest(),
        "typed": {
            name: request.POST.get(name, "") for name in ("agent", "label", "name", "into", "customer", "columns")
        },
    }
    if request.method == "POST":
        into = "golden" if request.POST.get("into") == "golden" else "run"
        if into == "golden" and not may_golden:
            raise PermissionDenied("catalog.add_goldensession")
        try:
            context["report"] = _import_lines(request, into)
        except BadInput as error:
            context["problem"] = error.message
        else:
            context |= {"into": into, "refused": context["report"].refused[:SHOWN]}
    report = context["report"]
    context["headline"] = import_headline(
        kept=report.kept if report else 0,
        refused=len(report.refused) if report else 0,
        problem=context["problem"],
        asked=report is not None,
    )
    return show(request, "test_set/import_conversations", "Import conversations", **context)


def _yaml_of(request: HttpRequest) -> tuple[str, str]:
    """The text and what to call it: an uploaded file, else what was written into the form."""
    uploaded = request.FILES.get("file")
    if uploaded is None:
        text, name = request.POST.get("text", ""), request.POST.get("name", "") or "the text"
    else:
        _check_size(uploaded, CATALOG_BYTES)
        name = str(uploaded.name)
        try:
            text = uploaded.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(f"{name} is not UTF-8 at byte {error.start}.") from error
    if not text.strip():
        raise BadInput("Choose a YAML file, or write YAML into the field.")
    if len(text.encode("utf-8", "replace")) > CATALOG_BYTES:
        raise BadInput(f"More than {CATALOG_BYTES // 1024 // 1024} MiB: import it with the command import_catalog.")
    return text, name[:200]


def _import_lines(request: HttpRequest, into: str) -> Any:
    uploaded = request.FILES.get("file")
    if uploaded is None:
        raise BadInput("Choose a file of conversations.")
    _check_size(uploaded, CONVERSATION_BYTES)
    subject = _subject(request, into)
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy:
        for chunk in uploaded.chunks():
            copy.write(chunk)
        copy.flush()
        name = request.POST.get("name", "").strip() or str(uploaded.name)
        how = reading_of(customer=request.POST.get("customer", ""), columns=request.POST.get("columns", ""))
        try:
            return import_file(
                path=Path(copy.name), into=into, name=name[:200], now=timezone.now(), subject=subject, how=how
            )
        except BadInput as error:
            raise BadInput(error.message.replace(Path(copy.name).name, str(uploaded.name)), code=error.code) from error


def _subject(request: HttpRequest, into: str) -> Subject:
    """Return the subject of these conversations, as the form says. Raises BadInput."""
    fields = {name: request.POST.get(name, "").strip() for name in ("agent", "label")}
    subject = read_subject({name: value for name, value in fields.items() if value} or None, "")
    if subject != UNNAMED and into == "golden":
        raise BadInput("Golden sessions are of no agent version: leave Agent and Version empty, or import a run.")
    return subject


def _check_size(uploaded: Any, limit: int) -> None:
    if uploaded.size > limit:
        raise BadInput(
            f"{uploaded.name} has {uploaded.size / 1024 / 1024:.1f} MiB; by the browser at most "
            f"{limit // 1024 // 1024} MiB are taken. The import commands take larger files."
        )


def _import_sentence(report: ImportReport) -> str:
    created, updated = (sum(len(names) for names in part.values()) for part in (report.created, report.updated))
    return f"{many(created, 'item')} new, {updated:,} changed, {report.unchanged:,} as they were."
