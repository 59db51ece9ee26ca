"""Drafts of prompts: hand one in, read what became of it, reject it."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.draft_body import DraftCombinationRequest, DraftRejection, DraftRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.drafts.queries.documents import (
    DRAFT_FILTERS,
    draft_document,
    draft_line,
    drafts_found,
    find_draft,
    newest_trials,
)
from apps.improvement.drafts.services.combining_drafts import combine_drafts
from apps.improvement.drafts.services.drafting import DraftSource, create_draft, reject_draft
from apps.tenants.domain.rights import Right


class DraftView(ApiView):
    """What the views of drafts share. A draft is never live, so the scope write is enough."""

    read_right = Right.READ_DRAFTS
    write_right = Right.WRITE_DRAFTS


class Drafts(DraftView):
    """One that guards refuse is an answer too: status refused, with its reasons."""

    query_names = (*PAGED, *DRAFT_FILTERS)

    @operation(
        "createDraft",
        "Hand in a draft of a live prompt; the same words again are the same draft",
        body="DraftRequest",
        answers={201: "Draft"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(DraftRequest, body)
            source = DraftSource(
                by=actor_now() or "api",
                note=request.note,
                analysis_id=request.analysis_id,
                finding_number=request.finding_number,
            )
            made = create_draft(name=request.name, text=request.text, source=source, base=request.base)
            return StoredResponse(status=201, body=draft_document(made))

        return self.once(request, work)

    @operation(
        "listDrafts",
        "Drafts, newest first, each with its newest trial",
        answers={200: "DraftPage"},
        paged=True,
        filters=DRAFT_FILTERS,
    )
    def get(self, request: Request) -> Response:
        rows = drafts_found(request.query_params)
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        trials = newest_trials(row.pk for row in page)
        lines = [draft_line(row, trials.get(row.pk)) for row in page]
        return Response({"results": lines, "next": following, "previous": preceding})


class CombineDrafts(DraftView):
    """Winning fixes as one draft, which is itself tried."""

    @operation(
        "combineDrafts",
        "Make one draft of several; 409 names the sections that wait for a choice",
        body="DraftCombinationRequest",
        answers={201: "Draft"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(DraftCombinationRequest, body)
            made = combine_drafts(request.drafts, by=actor_now() or "api", choices=request.choices, note=request.note)
            return StoredResponse(status=201, body=draft_document(made))

        return self.once(request, work)


class DraftDetail(DraftView):
    @operation("getDraft", "One draft with its text, diff, reasons and release", answers={200: "Draft"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(draft_document(id))


class RejectDraft(DraftView):
    write_right = Right.REJECT_DRAFTS

    @operation(
        "rejectDraft",
        "Take a draft out of use for good, with the reason",
        body="DraftRejection",
        answers={200: "Draft"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_draft(id)  # nobody's id is 404 before anything of the body is looked at
            reject_draft(id, by=actor_now() or "api", reason=validate(DraftRejection, body).reason, now=now)
            return StoredResponse(status=200, body=draft_document(id))

        return self.once(request, work)
