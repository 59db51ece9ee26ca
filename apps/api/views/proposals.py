"""Fixes that a model is asked for: one surgical draft for one finding of an analysis."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.draft_body import FixProposalRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.models import FixProposal
from apps.improvement.optimizer.queries.proposals import find_proposal, proposal_document
from apps.improvement.optimizer.services.requesting_proposals import FixQuestion, request_proposal
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class ProposalView(ApiView):
    """What the views of proposals share. What comes of one is a draft, which nothing plays by itself."""

    read_right = Right.READ_FIXES
    write_right = Right.PROPOSE_FIXES


class Proposals(ProposalView):
    query_names = PAGED

    @operation(
        "createProposal",
        "Ask a model for one fix of one finding; what comes of it is a draft",
        body="FixProposalRequest",
        answers={202: "FixProposal"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(FixProposalRequest, body)
            question = FixQuestion(
                analysis_id=request.analysis_id,
                finding_number=request.finding_number,
                name=request.name,
                override_reason=request.override_reason,
            )
            made = request_proposal(question, by=actor_now() or "api", now=now)
            wake_workers_on_commit(current_slug(), "proposal")
            return StoredResponse(status=202, body=proposal_document(find_proposal(made)))

        return self.once(request, work)

    @operation(
        "listProposals", "Fixes that a model was asked for, newest first", answers={200: "FixProposalPage"}, paged=True
    )
    def get(self, request: Request) -> Response:
        rows = FixProposal.objects.select_related("line", "draft__version")
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        return Response({"results": [proposal_document(row) for row in page], "next": following, "previous": preceding})


class ProposalDetail(ProposalView):
    @operation("getProposal", "How far a proposal is, and its draft", answers={200: "FixProposal"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(proposal_document(find_proposal(id)))
