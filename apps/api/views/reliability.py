"""How reliable an agent is over repeats, for whom it is worse, and who suffers from what."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.reports.slices.queries.reliability import reliability_document
from apps.reports.slices.queries.slices import slices_document


class EvaluationReliability(ApiView):
    reads_conversations = True

    @operation(
        "getReliability",
        "pass^k and pass@k by persona and language, and who suffers from what",
        answers={200: "Reliability"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(reliability_document(id))


class EvaluationSlices(ApiView):
    """Claims by persona, language, prompt version and kind; cells, which claim nothing, by scenario too."""

    reads_conversations = True

    @operation(
        "getSlices",
        "Which slices of customers score lower than the others, and what each fails",
        answers={200: "EvaluationSlices"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(slices_document(id))
