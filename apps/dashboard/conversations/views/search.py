"""Search: a page that works without a script, and the part of it that Ctrl+K shows while somebody types."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.core.errors import BadInput
from apps.core.search_words import search_query
from apps.dashboard.conversations.queries.entities import find_entities, find_places
from apps.dashboard.page_access import READ, show, staff_page
from apps.reports.search.queries.search import SearchHits, find_words

_WORDS = ("runs.view_conversation", "evaluations.view_evaluation")


@staff_page(methods=READ, opens=True)
def search(request: HttpRequest) -> HttpResponse:
    """Show the search: entities and actions by name, and conversations by their words.

    Each person finds what they may open. A trial's conversations are found by nobody, so a hold-out's id in the
    question opens nothing.
    """
    text = request.GET.get("q", "").replace("\x00", "")
    hits, problem = _hits(request, text)
    context = {
        "text": text[:1000],
        "hits": hits,
        "problem": problem,
        "places": find_places(text, request),
        "things": find_entities(text, request.user.has_perm),
        "reads": request.user.has_perms(_WORDS),
    }
    answer = show(request, "conversations/search", "Search", **context)
    answer.status_code = 400 if problem else 200
    return answer


@staff_page(methods=READ, opens=True)
def quick(request: HttpRequest) -> HttpResponse:
    """Entities, pages and actions: what stands in the dialog of Ctrl+K."""
    text = request.GET.get("q", "").replace("\x00", "")[:200].strip()
    hits = [*find_entities(text, request.user.has_perm), *find_places(text, request)]
    context = {"text": text, "found": hits[:12], "reads": request.user.has_perms(_WORDS)}
    return render(request, "dashboard/conversations/parts/palette.html", context)


def _hits(request: HttpRequest, text: str) -> tuple[SearchHits | None, str]:
    if not text.strip() or not request.user.has_perms(_WORDS):
        return None, ""
    try:
        return find_words(search_query(text)), ""
    except BadInput as error:
        return None, error.message
