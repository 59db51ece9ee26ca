"""Analyses of an evaluation: ask for one, read what was found."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body
from apps.evaluations.figures.queries.results import find_evaluation
from apps.improvement.analysis.queries.analyses import analysis_document
from apps.improvement.analysis.services.enqueue_analyses import request_analysis
from apps.improvement.models import Analysis
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug


class Analyses(ApiView):
    """The analyzer on demand, and what it found so far, newest first."""

    reads_conversations = True
    query_names = PAGED

    @operation(
        "createAnalysis", "Analyse an evaluation that has ended", answers={202: "AnalysisTaken"}, idempotent=True
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            row = request_analysis(evaluation_id=id, now=now)
            wake_workers_on_commit(current_slug(), "analysis")
            return StoredResponse(status=202, body={"id": str(row), "evaluation_id": str(id), "status": "pending"})

        return self.once(request, work)

    @operation("listAnalyses", "What the analyzer found", answers={200: "AnalysisPage"}, paged=True)
    def get(self, request: Request, id: uuid.UUID) -> Response:
        rows = Analysis.objects.filter(evaluation=find_evaluation(id))
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        return Response({"results": [analysis_document(row) for row in page], "next": following, "previous": preceding})
