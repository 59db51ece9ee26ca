"""Find the conversations that a page's filter matches, in their list or in an evaluation's matrix."""

import uuid
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.contrib import admin
from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve

from apps.core.errors import BadInput
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.improvement.holdout.queries.sealing import sealed_families
from apps.reports.tables.domain.matrix_filters import parse_matrix_filter
from apps.reports.tables.queries.matrix_window import matrix_window
from apps.runs.models import Conversation

MAX_LISTED = 50_000
MAX_JUDGED = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredConversations:
    """The conversations that match a filter.

    `ids` are in the page's order. `whole` says that none is missing, so that a sample of them represents all.
    """

    ids: Sequence[uuid.UUID]
    address: str
    called: str
    whole: bool


def filtered_conversations(request: HttpRequest, address: str) -> FilteredConversations:
    """The conversations that the page at this address shows to this person. Three queries for the list, some twelve for
    a matrix. Raises BadInput for an address that is neither, NotFound."""
    parts = urlsplit(address)
    try:
        match = resolve(parts.path)
    except Resolver404:
        match = None
    if parts.netloc or parts.scheme or match is None:
        raise BadInput(
            "Open the list of conversations or a matrix, filter it, and make the queue there.", code="bad_list"
        )
    if match.view_name == "admin:runs_conversation_changelist":
        matched = _of_list(request, parts.query)
    elif match.view_name == "matrix":
        matched = _of_matrix(match.kwargs["evaluation_id"], parts.query)
    else:
        raise BadInput("A queue is made of a list of conversations or of a matrix.", code="bad_list")
    ids, called, whole = matched
    if sealed_families(ids):
        raise BadInput("Some of these belong to a hold-out, which is worn by reading: filter them out.", code="sealed")
    return FilteredConversations(ids=ids, address=address[:2000], called=called, whole=whole)


def _of_list(request: HttpRequest, query: str) -> tuple[list[uuid.UUID], str, bool]:
    list_request = copy(request)
    list_request.GET = QueryDict(query)  # the list reads nothing else of a request
    rows = admin.site.get_model_admin(Conversation).get_changelist_instance(list_request).queryset
    ids = list(rows.values_list("pk", flat=True)[: MAX_LISTED + 1])
    return ids[:MAX_LISTED], "conversations", len(ids) <= MAX_LISTED


def _of_matrix(evaluation_id: uuid.UUID, query: str) -> tuple[list[uuid.UUID], str, bool]:
    matrix_filter, wrong = parse_matrix_filter(QueryDict(query).dict())
    if wrong:
        raise BadInput("The matrix's filter cannot be read: open it and choose again.", code="bad_list")
    evaluation = find_evaluation(evaluation_id, related=("run",))
    window = matrix_window(evaluation, matrix_filter.without(), uncertainties_of(evaluation), size=MAX_JUDGED)
    ids = [judgement.conversation_id for judgement in window.judgements]
    return ids, f"judgements of {evaluation.config_ref}", not window.after and not window.cut_short
