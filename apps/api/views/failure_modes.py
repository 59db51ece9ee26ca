"""Failure modes: notes beside conversations, groups that a model proposes, modes that people name, and their rates."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.failure_mode_body import (
    ConversationNoteRequest,
    FailureModeCriterion,
    FailureModeFixRequest,
    FailureModeMerge,
    FailureModeNotes,
    FailureModeRequest,
    FailureModeWording,
)
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body
from apps.calibration.services.remarks import add_note
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.failure_modes.queries.documents import grouping_document, mode_document, mode_lines, note_document
from apps.improvement.failure_modes.queries.modes import find_grouping, find_mode, open_notes, shown_notes
from apps.improvement.failure_modes.services.criteria import draft_criterion, measure_by
from apps.improvement.failure_modes.services.naming import (
    accept_proposal,
    merge_mode,
    name_mode,
    put_notes,
    reject_mode,
    reword_mode,
    take_notes_out,
    tell_fix,
)
from apps.improvement.failure_modes.services.requesting_groupings import request_grouping
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.improvement.models import FailureMode
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right

Decision = Callable[[Any, str, datetime], uuid.UUID | None]  # of a body, by whom, when; the mode it became
NEWEST = Order(field="id", read=uuid.UUID, newest_first=True)


class ConversationNotes(ApiView):
    """Notes that stand in no mode, and a new one. Who writes one may read conversations."""

    read_right = Right.READ_RUNS
    write_right = Right.WRITE_NOTES
    query_names = PAGED

    @operation(
        "listNotes",
        "Notes beside conversations that stand in no failure mode, newest first",
        answers={200: "ConversationNotePage"},
        paged=True,
    )
    def get(self, request: Request) -> Response:
        page, following, preceding = page_of(request, open_notes(), NEWEST)
        notes = [note_document(one) for one in page]
        return Response({"results": notes, "next": following, "previous": preceding})

    @operation(
        "addNote",
        "Write a note beside a conversation",
        body="ConversationNoteRequest",
        answers={201: "ConversationNote"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(ConversationNoteRequest, body)
            refuse_sealed([request.conversation_id])
            id = add_note(conversation_id=request.conversation_id, text=request.text, author=actor_now() or "api")
            note = shown_notes().select_related("conversation").get(pk=id)
            return StoredResponse(status=201, body=note_document(note))

        return self.once(request, work)


class FailureModeView(ApiView):
    """What the views of failure modes share. A name is everybody's, so a key needs the scope curate."""

    read_right = Right.READ_FAILURE_MODES
    write_right = Right.NAME_FAILURE_MODES

    def decide(self, request: Request, id: uuid.UUID, act: Decision) -> Response:
        """Answer with the mode after `act`; or with another that it became."""

        def work(body: Any, now: datetime) -> StoredResponse:
            find_mode(id)  # nobody's id is 404 before anything of the body is looked at
            became = act(body, actor_now() or "api", now)
            return StoredResponse(status=200, body=mode_document(find_mode(became or id)))

        return self.once(request, work)


class FailureModes(FailureModeView):
    query_names = PAGED

    @operation(
        "listFailureModes",
        "Failure modes with counts and the newest rate, newest first; proposals among them",
        answers={200: "FailureModePage"},
        paged=True,
    )
    def get(self, request: Request) -> Response:
        page, following, preceding = page_of(request, FailureMode.objects.all(), NEWEST)
        return Response({"results": mode_lines(page), "next": following, "previous": preceding})

    @operation(
        "nameFailureMode",
        "Name a failure mode, with its notes",
        body="FailureModeRequest",
        answers={201: "FailureMode"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(FailureModeRequest, body)
            by = actor_now() or "api"
            row = name_mode(name=request.name, description=request.description, notes=request.notes or (), by=by)
            return StoredResponse(status=201, body=mode_document(find_mode(row.pk)))

        return self.once(request, work)


class NoteGroupings(FailureModeView):
    @operation(
        "groupNotes",
        "Have a model propose which notes tell of the same failure",
        answers={202: "NoteGrouping"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            made = request_grouping(by=actor_now() or "api")
            wake_workers_on_commit(current_slug(), "mode_grouping")
            return StoredResponse(status=202, body=grouping_document(find_grouping(made)))

        return self.once(request, work)


class NoteGroupingDetail(FailureModeView):
    @operation("getNoteGrouping", "What a model made of the notes", answers={200: "NoteGrouping"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(grouping_document(find_grouping(id)))


class FailureModeDetail(FailureModeView):
    @operation(
        "getFailureMode",
        "A failure mode with its notes, its rates, and what its fix came to",
        answers={200: "FailureMode"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(mode_document(find_mode(id)))


class AcceptFailureMode(FailureModeView):
    @operation(
        "acceptFailureMode",
        "Take a proposal as a mode, under this name",
        body="FailureModeRequest",
        answers={200: "FailureMode"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> None:
            request = validate(FailureModeRequest, body)
            accept_proposal(mode_id=id, name=request.name, description=request.description, notes=request.notes, by=by)

        return self.decide(request, id, act)


class RenameFailureMode(FailureModeView):
    @operation(
        "renameFailureMode",
        "Give it another name and description",
        body="FailureModeWording",
        answers={200: "FailureMode"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> None:
            wording = validate(FailureModeWording, body)
            reword_mode(mode_id=id, name=wording.name, description=wording.description)

        return self.decide(request, id, act)


class RejectFailureMode(FailureModeView):
    @operation(
        "rejectFailureMode", "It is no mode; its notes wait again", answers={200: "FailureMode"}, idempotent=True
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> None:
            no_body(body)
            reject_mode(mode_id=id, by=by)

        return self.decide(request, id, act)


class MergeFailureMode(FailureModeView):
    @operation(
        "mergeFailureMode",
        "Put its notes into another mode, which is answered",
        body="FailureModeMerge",
        answers={200: "FailureMode"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> uuid.UUID:
            into = validate(FailureModeMerge, body).into
            return uuid.UUID(str(merge_mode(mode_id=id, into=into, notes=None, by=by).pk))

        return self.decide(request, id, act)


class NotesOfFailureMode(FailureModeView):
    @operation(
        "changeFailureModeNotes",
        "Put notes into a mode, say what they show, take others out",
        body="FailureModeNotes",
        answers={200: "FailureMode"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> None:
            notes = validate(FailureModeNotes, body)
            put_notes(mode_id=id, notes=notes.add, by=by, shows=notes.shows)
            take_notes_out(mode_id=id, notes=notes.remove)

        return self.decide(request, id, act)


class FixOfFailureMode(FailureModeView):
    @operation(
        "tellFailureModeFix",
        "Say since when it is fixed, or that it is not",
        body="FailureModeFixRequest",
        answers={200: "FailureMode"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> None:
            fix = validate(FailureModeFixRequest, body)
            tell_fix(mode_id=id, at=(fix.at or now) if fix.fixed else None, by=by, now=now)

        return self.decide(request, id, act)


class CriterionOfFailureMode(FailureModeView):
    @operation(
        "setFailureModeCriterion",
        "Draft its criterion of its notes, or say which one measures it",
        body="FailureModeCriterion",
        answers={200: "FailureMode"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> None:
            name = validate(FailureModeCriterion, body).name
            if name is None:
                draft_criterion(mode_id=id)
            else:
                measure_by(mode_id=id, criterion=name)

        return self.decide(request, id, act)
