"""The report of a run."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.reports.queries.run_report import run_report


class RunReport(ApiView):
    """The same report as `report --run` writes, with the same digest: made from the run's rows at this moment."""

    reads_conversations = True
    read_permission = "runs.view_testrun"
    write_permission = "runs.change_testrun"

    @operation("getRunReport", "The report of a run that has ended", answers={200: "RunReport"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(run_report(id))
