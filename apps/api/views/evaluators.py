"""The evaluators that judged a run, compared."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.core.errors import BadInput
from apps.reports.comparisons.queries.evaluators import compare_evaluators
from apps.reports.comparisons.queries.evaluators_document import evaluators_document

FILTERS = {"evaluations": "Ids, with commas; without it the newest evaluation of each config version."}


class EvaluatorsOfRun(ApiView):
    reads_conversations = True
    query_names = tuple(FILTERS)

    @operation(
        "compareEvaluators",
        "Where the evaluators of a run agree and contradict each other, and how consistent each is",
        answers={200: "EvaluatorComparison"},
        filters=FILTERS,
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        named = [part for part in request.query_params.get("evaluations", "").split(",") if part.strip()]
        return Response(evaluators_document(compare_evaluators(id, [_id(part.strip()) for part in named])))


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as error:
        message = f"{text[:60]!r} is no id of an evaluation."
        raise BadInput(message, code="bad_parameter", pointer="/evaluations") from error
