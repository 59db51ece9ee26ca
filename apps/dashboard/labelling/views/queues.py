"""Review queues: what is rated by whom, how far raters agree, and what counts where they do not."""

import secrets
import uuid

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.calibration.queries.queues import RATING_COLUMNS, RATING_SOURCES, queue_state, rows_to_export
from apps.calibration.queries.queues import queues as all_queues
from apps.calibration.queries.raters import people_who
from apps.calibration.services.queues import QueueRequest, assign_queue, close_queue, make_queue, resolve
from apps.core.errors import BadInput, RatibaError
from apps.dashboard.conversations.views.annotation import LABEL, OPEN_ROUND, SEE
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.reading_language import in_readers_language
from apps.improvement.holdout.queries.filtered_conversations import FilteredConversations, filtered_conversations
from apps.reports.tables.services.exporting import CONTENT_TYPES, ExportFormat, ExportTable, export_rows

VIEW = "calibration.view_certificate"
RATINGS = ExportTable(columns=RATING_COLUMNS, sources=RATING_SOURCES, floats=("value", "resolved_value"))


@staff_page(VIEW, methods=READ)
@in_readers_language
def queues(request: HttpRequest) -> HttpResponse:
    """Show the page of queues: which are there, and how far are they?"""
    return show(
        request, "labelling/queues", _("Review queues"), found=all_queues(), may=request.user.has_perm(OPEN_ROUND)
    )


@staff_page(OPEN_ROUND, SEE)
def new_queue(request: HttpRequest) -> HttpResponse:
    """GET: what the filter matches, and the form. POST: make the queue."""
    given = request.POST if request.method == "POST" else request.GET
    address = given.get("list", "") or reverse("admin:runs_conversation_changelist")
    matched: FilteredConversations | None = None
    try:
        matched = filtered_conversations(request, address)
        if request.method == "POST":
            made = make_queue(
                asked=_queue_request(request, matched), by=request.user.get_username(), seed=secrets.randbits(31)
            )
            return redirect("queue", made)
    except RatibaError as error:
        answer = _form(request, matched, address, problem=error.message, field=getattr(error, "pointer", "") or "")
        answer.status_code = 422
        return answer
    return _form(request, matched, address)


@staff_page(VIEW, methods=READ)
@in_readers_language
def queue(request: HttpRequest, round_id: uuid.UUID) -> HttpResponse:
    """Show the page of a queue: how far is it, and do its raters agree?"""
    state = queue_state(round_id)
    may = {verb: request.user.has_perm(one) for verb, one in {"change": OPEN_ROUND, "rate": LABEL}.items()}
    return show(request, "labelling/queue", str(state.state.round), found=state, may=may)


@staff_page(OPEN_ROUND, methods=("POST",))
def change_queue(request: HttpRequest, round_id: uuid.UUID) -> HttpResponse:
    """Close a queue, open it again, or set its raters. POST only."""

    def change() -> str:
        match request.POST.get("do", ""):
            case "close" | "reopen" as verb:
                row = close_queue(round_id=round_id, closed=verb == "close", now=timezone.now())
                return f"{row} is closed: its ratings stay." if verb == "close" else f"{row} is open again."
            case "assign":
                row = assign_queue(round_id=round_id, raters=request.POST.getlist("assigned"))
                return f"Who rates {row} is saved."
        raise BadInput("close, reopen or assign", code="bad_option", pointer="/do")

    return with_message(request, change, "queue", round_id)


@staff_page(OPEN_ROUND, methods=("POST",))
def resolve_label(request: HttpRequest, round_id: uuid.UUID) -> HttpResponse:
    """Store the final label where raters differ, and the reason. POST only."""

    def keep() -> str:
        item, value = request.POST.get("item", ""), request.POST.get("value", "")
        try:
            number, point = int(item), None if value == "none" else float(value)
        except ValueError:
            raise BadInput("Choose what counts.", pointer="/value") from None
        new = resolve(
            item_id=number,
            criterion=request.POST.get("criterion", ""),
            value=point,
            reason=request.POST.get("reason", ""),
            by=request.user.get_username(),
        )
        return "Saved: it counts from now on." if new else "Somebody resolved it before you; theirs stands."

    return with_message(request, keep, "queue", round_id)


@staff_page(VIEW, methods=READ)
def export_queue(request: HttpRequest, round_id: uuid.UUID) -> StreamingHttpResponse:
    """Every rating of the conversations that are complete, with resolutions: CSV, or ?format=jsonl."""
    format = ExportFormat.JSONL if request.GET.get("format") == "jsonl" else ExportFormat.CSV
    rows = iter(list(rows_to_export(round_id)))
    answer = StreamingHttpResponse(
        export_rows(table=RATINGS, rows=rows, format=format), content_type=CONTENT_TYPES[format]
    )
    answer["Content-Disposition"] = f'attachment; filename="queue-{round_id}.{format}"'
    return answer


def _queue_request(request: HttpRequest, matched: FilteredConversations) -> QueueRequest:
    numbers: dict[str, int] = {}
    for name in ("size", "raters"):
        try:
            numbers[name] = int(request.POST.get(name, ""))
        except ValueError:
            raise BadInput("Write a whole number.", pointer=f"/{name}") from None
    return QueueRequest(
        name=request.POST.get("name", ""),
        matched=matched.ids,
        source={"address": matched.address, "called": matched.called},
        at_random=request.POST.get("at_random") == "yes",
        whole=matched.whole,
        assigned=request.POST.getlist("assigned"),
        config=request.POST.get("config", "").strip(),
        **numbers,
    )


def _form(request: HttpRequest, matched: FilteredConversations | None, address: str, **more: str) -> HttpResponse:
    given = request.POST.dict() if request.method == "POST" else {"size": "20", "raters": "2", "at_random": "yes"}
    return show(
        request,
        "labelling/queue_new",
        "New review queue",
        matched=matched,
        address=address,
        given=given,
        ticked=request.POST.getlist("assigned"),
        people=people_who(LABEL),
        **more,
    )
