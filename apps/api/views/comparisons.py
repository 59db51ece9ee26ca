"""Comparing one evaluation with another."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.reports.comparisons.queries.comparing import compare
from apps.reports.comparisons.queries.comparison_document import comparison_document

LISTED = 200


class EvaluationComparison(ApiView):
    """`id` is what was tried (b), `other` what there was before (a)."""

    reads_conversations = True

    @operation("compareEvaluation", "This evaluation against another, pair by pair", answers={200: "Comparison"})
    def get(self, request: Request, id: uuid.UUID, other: uuid.UUID) -> Response:
        return Response(comparison_document(compare(other, id, limit=LISTED)))
