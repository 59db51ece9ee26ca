"""Search over turns, reasons and quotes."""

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.core.search_words import search_query
from apps.reports.search.queries.search import search_document

_FILTERS = {"q": "Words, each the beginning of one; all must stand in the turn, or in the reason and its quotes."}


class Search(ApiView):
    """What was said, and why it was scored so. A conversation is found a minute after it is over; what belongs to the
    trial of a draft is never found."""

    query_names = tuple(_FILTERS)

    @operation(
        "search",
        "Turns, reasons and quotes with these words, the newest first",
        answers={200: "SearchResults"},
        filters=_FILTERS,
    )
    def get(self, request: Request) -> Response:
        query = search_query(request.query_params.get("q", ""))
        return Response(search_document(query, origin=request.build_absolute_uri("/").rstrip("/")))
