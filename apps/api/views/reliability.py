"""How reliable an agent is over repeats, and who suffers from what."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.reports.queries.reliability import reliability_document


class EvaluationReliability(ApiView):
    reads_conversations = True

    @operation(
        "getReliability",
        "pass^k and pass@k by persona and language, and who suffers from what",
        answers={200: "Reliability"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(reliability_document(id))
