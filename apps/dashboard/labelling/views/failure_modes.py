"""Failure modes: how the agent fails, by the notes that people wrote beside conversations."""

import uuid
from datetime import datetime, time

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date

from apps.core.errors import BadInput
from apps.core.plurals import many
from apps.dashboard.labelling.queries.failure_modes import mode_page, modes_page
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.improvement.failure_modes.domain.states import NoteShows
from apps.improvement.failure_modes.services.criteria import draft_criterion, measure_by
from apps.improvement.failure_modes.services.naming import (
    accept_proposal,
    merge_mode,
    move_notes,
    name_mode,
    put_notes,
    reject_mode,
    reword_mode,
    take_notes_out,
    tell_fix,
)
from apps.improvement.failure_modes.services.requesting_groupings import request_grouping
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

SEE, NAME, CHANGE = "improvement.view_failuremode", "improvement.add_failuremode", "improvement.change_failuremode"
READ_NOTES = "runs.view_conversation"
DRAFT = "catalog.add_criterion"


@staff_page(SEE, READ_NOTES, methods=READ)
def failure_modes(request: HttpRequest) -> HttpResponse:
    """Show the page of failure modes: how does the agent fail, and how often?"""
    return show(
        request, "labelling/failure_modes", "Failure modes", found=modes_page(), may=request.user.has_perm(NAME)
    )


@staff_page(SEE, READ_NOTES, NAME, methods=("POST",))
def new_failure_mode(request: HttpRequest) -> HttpResponse:
    """Name a mode from notes, add notes to one, or have a model propose groups. POST only."""
    by, notes = request.user.get_username(), _notes(request)

    def keep() -> str:
        match request.POST.get("do", ""):
            case "name":
                description = request.POST.get("description", "")
                mode = name_mode(name=request.POST.get("name", ""), description=description, notes=notes, by=by)
                return f"{mode} is a failure mode, with {many(len(notes), 'note')}."
            case "put":
                put_notes(mode_id=_id(request, "into"), notes=_some(notes), by=by)
                return f"{many(len(notes), 'note')} put into the mode."
            case "group":
                request_grouping(by=by)
                wake_workers_on_commit(current_slug(), "mode_grouping")
                return (
                    "A model reads the notes. What it proposes stands here within a minute; nothing counts before "
                    "you name it."
                )
        raise BadInput("name, put or group", code="bad_option", pointer="/do")

    return with_message(request, keep, "failure_modes")


@staff_page(SEE, READ_NOTES, methods=READ)
def failure_mode(request: HttpRequest, mode_id: uuid.UUID) -> HttpResponse:
    """The page of a failure mode: its meaning, how often it happens, and whether its fix helped."""
    page = mode_page(mode_id, now=timezone.now(), titles=titles_for(request))
    may = {verb: request.user.has_perm(one) for verb, one in {"change": CHANGE, "draft": DRAFT}.items()}
    return show(request, "labelling/failure_mode", page.mode.name, found=page, may=may)


@staff_page(SEE, READ_NOTES, CHANGE, methods=("POST",))
def change_failure_mode(request: HttpRequest, mode_id: uuid.UUID) -> HttpResponse:
    """Change a failure mode, or decide about a proposed one. POST only."""
    by, notes = request.user.get_username(), _notes(request)
    name, description = request.POST.get("name", ""), request.POST.get("description", "")
    back = reverse("failure_mode", args=[mode_id])

    def decide() -> str:
        nonlocal back
        match request.POST.get("do", ""):
            case "accept":
                mode = accept_proposal(mode_id=mode_id, name=name, description=description, notes=_some(notes), by=by)
                return f"{mode} is a failure mode now."
            case "merge":
                only = notes if request.POST.get("ticked") else None
                mode = merge_mode(mode_id=mode_id, into=_id(request, "into"), notes=only, by=by)
                back = reverse("failure_mode", args=[mode.pk])
                return f"Its notes stand in {mode} now."
            case "reject":
                back = reverse("failure_modes")
                return f"{reject_mode(mode_id=mode_id, by=by)} is rejected; its notes wait again."
            case "reword":
                return f"{reword_mode(mode_id=mode_id, name=name, description=description)} is saved."
        return _change_notes(request, mode_id, notes, by)

    if request.POST.get("from") == "list":
        back = reverse("failure_modes")
    answer = with_message(request, decide, back)
    answer["Location"] = back
    return answer


def _change_notes(request: HttpRequest, mode_id: uuid.UUID, notes: list[uuid.UUID], by: str) -> str:
    """Change a failure mode's notes, its fix or its criterion, as the form asks. Returns a sentence about the
    change."""
    match request.POST.get("do", ""):
        case "move":
            move_notes(mode_id=mode_id, into=_id(request, "into"), notes=_some(notes), by=by)
            return f"{many(len(notes), 'note')} moved."
        case "remove":
            take_notes_out(mode_id=mode_id, notes=_some(notes))
            return f"{many(len(notes), 'note')} taken out; the notes themselves stay."
        case "failure" | "does_well" as shows:
            put_notes(mode_id=mode_id, notes=_some(notes), by=by, shows=NoteShows(shows))
            return f"{many(len(notes), 'note')} marked."
        case "fix":
            tell_fix(mode_id=mode_id, at=_day(request), by=by, now=timezone.now())
            return "Saved: what happens from then on is held against what happened before."
        case "unfix":
            tell_fix(mode_id=mode_id, at=None, by=by, now=timezone.now())
            return "Saved: it is not called fixed any more."
        case "draft":
            if not request.user.has_perm(DRAFT):
                raise BadInput("Your account may not write criteria.", code="forbidden")
            row = draft_criterion(mode_id=mode_id)
            return f"The criterion {row} is drafted. It judges nothing until a published evaluator config asks for it."
        case "measure":
            measure_by(mode_id=mode_id, criterion=request.POST.get("criterion", ""))
            return "Saved: which criterion measures it."
    raise BadInput("There is no such change.", code="bad_option", pointer="/do")


def _notes(request: HttpRequest) -> list[uuid.UUID]:
    """The notes that were ticked; what is no id is nobody's."""
    notes = []
    for text in request.POST.getlist("note"):
        try:
            notes.append(uuid.UUID(text))
        except ValueError:
            continue
    return notes


def _some(notes: list[uuid.UUID]) -> list[uuid.UUID]:
    if not notes:
        raise BadInput("Tick the notes first.", code="required", pointer="/notes")
    return notes


def _id(request: HttpRequest, name: str) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get(name, ""))
    except ValueError:
        raise BadInput("Choose a failure mode.", code="required", pointer=f"/{name}") from None


def _day(request: HttpRequest) -> datetime:
    """The day the fix was there from, its beginning; now where none was written."""
    text = request.POST.get("at", "").strip()
    if not text:
        return timezone.now()
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise BadInput("Write a day as 2026-11-30.", pointer="/at")
    return datetime.combine(day, time.min, tzinfo=timezone.get_current_timezone())
