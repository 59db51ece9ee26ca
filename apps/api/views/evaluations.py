"""Evaluations: ask for one, see what it found."""

import uuid
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.etags import conditional
from apps.api.pages import FILTERS, PAGED, Order, filtered, page_of
from apps.api.queries.documents import evaluation_line
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.services.submissions import submit_evaluation
from apps.api.views.base import ApiView, no_body
from apps.catalog.configs.queries.criterion_titles import criterion_titles
from apps.core.identities import uuids_among
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.judging.services.completion import cancel_evaluation
from apps.evaluations.models import Evaluation
from apps.evaluations.progress.queries.status import evaluation_status
from apps.improvement.analysis.queries.analyses import evaluation_with_analysis
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.results.queries.judgement_document import judgement_document, judgements_of
from apps.runs.domain.kind_traits import UNSEALED
from apps.tenants.context import current_slug


class Evaluations(ApiView):
    """The evaluator webhook, for the runner and for a re-evaluation alike."""

    query_names = (*PAGED, *FILTERS)

    @operation(
        "createEvaluation",
        "Evaluate a run, or conversations given inline",
        body="EvaluationRequest",
        answers={202: "EvaluationTaken"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            refuse_sealed(uuids_among([str(body.get("test_run_id"))] if isinstance(body, dict) else []))
            answer = submit_evaluation(body=body, base=self.base_address(request), now=now)
            wake_workers_on_commit(current_slug(), "judging")
            return answer

        return self.once(request, work)

    @operation(
        "listEvaluations", "Evaluations, newest first", answers={200: "EvaluationPage"}, paged=True, filters=FILTERS
    )
    def get(self, request: Request) -> Response:
        rows = filtered(request, Evaluation.objects.filter(run__kind__in=UNSEALED).defer("snapshot"))
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        return Response({"results": [evaluation_line(row) for row in page], "next": following, "previous": preceding})


class EvaluationDetail(ApiView):
    reads_conversations = True

    @operation("getEvaluation", "What an evaluation found", answers={200: "Evaluation"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(evaluation_with_analysis(id))


class EvaluationStatusView(ApiView):
    @operation("getEvaluationStatus", "How far an evaluation is", answers={200: "Status"}, conditional=True)
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return conditional(request, evaluation_status(id, now=timezone.now()))


class CancelEvaluation(ApiView):
    """POST without a body; the answer is the status as it is then."""

    reads_conversations = True  # that of a trial ends with its trial alone

    @operation(
        "cancelEvaluation", "End it as cancelled; what was judged stays", answers={200: "Status"}, idempotent=True
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            cancel_evaluation(evaluation_id=id, now=now)
            return StoredResponse(status=200, body=evaluation_status(id, now=now))

        return self.once(request, work)


class Judgements(ApiView):
    reads_conversations = True
    query_names = PAGED

    @operation(
        "listJudgements", "Each conversation's verdict, with its evidence", answers={200: "JudgementPage"}, paged=True
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        evaluation = find_evaluation(id)
        order = Order(field="conversation_id", read=uuid.UUID)
        page, following, preceding = page_of(request, judgements_of(evaluation.id), order)
        doubts = uncertainties_of(evaluation)
        titles = criterion_titles()
        results = [judgement_document(row, doubts, titles) for row in page]
        return Response({"results": results, "next": following, "previous": preceding})
