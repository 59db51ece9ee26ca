"""The pages that compare: evaluations as columns, two by default, and two conversations of one case."""

import uuid
from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from apps.core.errors import BadInput, NotFound
from apps.dashboard.page_access import READ, asks_for_part, may_ask_gate, show, staff_page
from apps.dashboard.results.queries.comparison import comparison_page
from apps.dashboard.results.queries.comparison_columns import columns_page
from apps.dashboard.results.queries.comparison_pair import pair_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.runs.playing.queries.progress import find_run

VIEW = "evaluations.view_evaluation"
READ_RUNS = ("runs.view_testrun", "runs.view_conversation")
PAIR = 2


@staff_page(VIEW)
def comparison(request: HttpRequest) -> HttpResponse:
    """Show the comparison: which is better, and for whom?

    Two evaluations are compared criterion by criterion; more of them, the prompt versions of an agent, or the
    evaluators of a run are columns.
    """
    chosen = request.GET.getlist("e")
    chosen = sorted(chosen) if "sorted" in request.GET else chosen  # ids grow with time: the earlier first
    if len(chosen) > PAIR or request.GET.keys() & {"run", "prompts_of", "cases"}:
        return _columns(request, chosen)
    a, b = (*chosen, "", "")[:PAIR] if chosen else (request.GET.get(name, "") for name in ("a", "b"))
    now = "now" in request.GET or asks_for_part(request)
    only = request.GET.get("only", "")
    page = comparison_page(a=a, b=b, only=only, now=now, titles=titles_for(request))
    return show(request, "results/comparison", "Comparison", found=page, may_gate=may_ask_gate(request))


def _columns(request: HttpRequest, chosen: Sequence[str]) -> HttpResponse:
    if not request.user.has_perms(READ_RUNS):
        raise PermissionDenied(", ".join(READ_RUNS))
    page = columns_page(
        ids=chosen,
        run=request.GET.get("run", ""),
        prompts_of=request.GET.get("prompts_of", ""),
        replies="replies" in request.GET,
        number=request.GET.get("page", "1"),
        titles=titles_for(request),
    )
    answer = show(request, "results/comparison_columns", "Comparison", found=page)
    answer.status_code = 400 if page.problem and chosen else 200
    return answer


@staff_page(VIEW, *READ_RUNS, methods=READ)
def moved(request: HttpRequest, run_id: uuid.UUID | None = None) -> HttpResponse:
    """Lead the addresses that columns and evaluators of a run had to the one page of comparisons."""
    if run_id:
        find_run(run_id)
    query = request.GET.copy()
    query["run" if run_id else "cases"] = str(run_id or 1)
    return redirect(f"{reverse('comparison')}?{query.urlencode()}")


@staff_page(VIEW, "runs.view_conversation", methods=READ)
def pair(request: HttpRequest) -> HttpResponse:
    """The page of a pair of conversations: A's words, and B's words instead."""
    query = {name: request.GET.get(name, "") for name in ("a", "b", "right", "only")}
    try:
        page = pair_page(**query, titles=titles_for(request))
    except NotFound:
        raise
    except BadInput:
        return redirect(f"{reverse('comparison')}?a={query['a']}&b={query['b']}")
    return show(request, "results/comparison_pair", page.pair.name, found=page)
