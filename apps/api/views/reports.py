"""The report of a run, and the summary that a model writes of it."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body
from apps.core.actor import actor_now
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.run_reports.queries.report_summaries import summary_document
from apps.reports.run_reports.queries.run_report import run_report
from apps.reports.run_reports.services.requesting_summaries import request_summary
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class RunReport(ApiView):
    """The same report as `report --run` writes, with the same digest: made from the run's rows at this moment."""

    reads_conversations = True
    read_right = Right.READ_RUNS
    write_right = Right.STEER_RUNS

    @operation("getRunReport", "The report of a run that has ended", answers={200: "RunReport"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(run_report(id))


class RunReportSummary(ApiView):
    """Have a model say in a few sentences what the report holds; they stand in the report under `summary`."""

    reads_conversations = True
    write_right = Right.STEER_RUNS

    @operation(
        "summariseRunReport",
        "Have a model summarise the report of a run",
        answers={202: "ReportSummary"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            request_summary(run_id=id, by=actor_now() or "api")
            wake_workers_on_commit(current_slug(), "report_summary")
            return StoredResponse(status=202, body=summary_document(id) or {})

        return self.once(request, work)
