"""Conversations × criteria of a run's evaluation, filtered as the page filters them."""

import uuid
from typing import Literal
from urllib.parse import urlencode

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.core.errors import BadInput
from apps.core.whole_numbers import whole_number
from apps.reports.tables.queries.matrix import MatrixView, evaluation_of_matrix, matrix_document, matrix_view

MAX_ROWS = 200
_BESIDE = {
    "evaluation": "An evaluation of this run; without it the newest.",
    "limit": f"Rows of one answer, 1 to {MAX_ROWS}; 50 without it.",
}
_FILTERS = {
    "verdict": "pass, fail, undecided or not_measured: of the whole conversation.",
    "state": "The judgement's: scored, parse_error, model_error, not_judged or pending.",
    "criterion": "Of this one alone: what `having`, `at` and `evidence` are about, and what is sorted by.",
    "having": "pass, fail, undecided or unscored: what became of the criterion.",
    "evidence": "exact, pattern or unverified: a quote of the criterion.",
    "at": "0 to 10: the criterion's score, rounded.",
    "low": "The weighted score at least.",
    "high": "The weighted score at most.",
    "persona": "By name.",
    "scenario": "The scenario or golden session, by its id.",
    "language": "As the conversation names it.",
    "label": "name=value.",
    "since": "A day, as 2026-11-22.",
    "until": "A day, itself included.",
    "sort": "score (worst first), name, persona, language, scenario, date or criterion:NAME; with - before it the "
    "other way round.",
    "columns": "The criteria shown, with commas; without it all.",
    "after": "From the answer's `next`.",
    "before": "From the answer's `previous`.",
}


class Matrix(ApiView):
    """The rows, columns, verdicts and filters of the matrix's page; nothing is decided here a second time."""

    reads_conversations = True
    query_names = (*_BESIDE, *_FILTERS)

    @operation(
        "getMatrix",
        "Conversations × criteria of a run, filtered and sorted as on the page",
        answers={200: "Matrix"},
        filters={**_BESIDE, **_FILTERS},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        parameters = request.query_params.dict()
        size = _limit(parameters.pop("limit", ""))
        evaluation = evaluation_of_matrix(id, _evaluation(parameters.pop("evaluation", "")))
        view = matrix_view(evaluation, asked=parameters, size=size)
        if view.wrong:
            name, why = next(iter(view.wrong.items()))
            raise BadInput(f"{name} {why}.", code="bad_parameter", pointer=f"/{name}")
        following, preceding = _link(request, view, "after"), _link(request, view, "before")
        return Response(matrix_document(view, following=following, preceding=preceding))


def _link(request: Request, view: MatrixView, side: Literal["after", "before"]) -> str | None:
    """The same view from another place of the same evaluation, though a newer one came meanwhile."""
    place = view.window.after if side == "after" else view.window.before
    if not place:
        return None
    fields = [(name, value) for name, value in view.found.fields if name not in ("after", "before")]
    beside = {"evaluation": str(view.evaluation.pk), "limit": request.query_params.get("limit", "")}
    query = urlencode([*((name, value) for name, value in beside.items() if value), *fields, (side, place)])
    return request.build_absolute_uri(f"{request.path}?{query}")


def _limit(text: str) -> int:
    if not text:
        return 50
    refusal = f"limit is a whole number of 1 to {MAX_ROWS}, not {text[:20]!r}."
    return whole_number(text, refusal, pointer="/limit", least=1, most=MAX_ROWS, code="bad_parameter")


def _evaluation(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text) if text else None
    except ValueError as error:
        message = f"{text[:60]!r} is no id of an evaluation."
        raise BadInput(message, code="bad_parameter", pointer="/evaluation") from error
